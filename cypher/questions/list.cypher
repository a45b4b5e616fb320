// Questions of a corpus in order of key, a page at a time.
// Parameters: $after ($code to start), $until ($code + '~'), $limit (100), $pattern (null for all), $state (null for all).
// Columns: key, question (properties), uses (number of USES).
MATCH (q:Question)
WHERE q.key > $after AND q.key < $until
  AND ($pattern IS NULL OR q.pattern = $pattern)
  AND ($state IS NULL OR q.state = $state)
RETURN q.key AS key, properties(q) AS question, COUNT { (q)-[:USES]->() } AS uses
ORDER BY key LIMIT $limit
