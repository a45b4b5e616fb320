// How many active questions a corpus has.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: questions.
MATCH (q:Question)
WHERE q.state = 'active' AND q.key > $code AND q.key < $until
RETURN count(q) AS questions
