// The documents of a corpus among these keys: a name is looked up as a key, and as the key that its loader's name makes.
// Parameters: $corpus ('demo'), $keys (document keys). Columns: key (in their order).
MATCH (d:Document)
WHERE d.key IN $keys AND d.corpus = $corpus
RETURN d.key AS key
ORDER BY key
