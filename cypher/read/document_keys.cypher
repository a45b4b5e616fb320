// The document of a corpus with this key, or with the key that its loader's name for it makes.
// Parameters: $corpus ('demo'), $key, $other (document keys). Columns: key.
MATCH (d:Document)
WHERE d.key IN [$key, $other] AND d.corpus = $corpus
RETURN d.key AS key
