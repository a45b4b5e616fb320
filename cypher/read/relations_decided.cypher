// What is decided about the relations of a corpus.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: decision.
MATCH (d:Decision)
WHERE $code < d.key < $until AND d.kind = 'relation'
RETURN d {.*} AS decision
ORDER BY d.key
