// How many questions of a corpus are in which state, and why.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: pattern, state, reason, questions.
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until
RETURN q.pattern AS pattern, q.state AS state, q.reason AS reason, count(*) AS questions
ORDER BY pattern, state, reason
