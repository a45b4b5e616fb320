// The entities of a corpus with exactly this name.
// Parameters: $corpus ('demo'), $label ('Paris'). Columns: key.
MATCH (e:Entity {label: $label})
WHERE e.corpus = $corpus
RETURN e.key AS key
ORDER BY key
