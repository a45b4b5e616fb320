// How many questions of a corpus there are, of a pattern and in a state.
// Parameters: $code (the corpus's code), $until ($code + '~'), $pattern (null for all), $state (null for all).
// Columns: questions.
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until
  AND ($pattern IS NULL OR q.pattern = $pattern)
  AND ($state IS NULL OR q.state = $state)
RETURN count(q) AS questions
