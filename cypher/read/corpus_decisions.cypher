// All decisions about the names of a corpus, splits too.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: decision.
MATCH (d:Decision)
WHERE $code < d.key < $until
RETURN d {.*} AS decision
ORDER BY d.key
