// What the loaders called the documents of a corpus.
// Parameters: $code (corpus code), $until ($code + '~'). Columns: key, source.
MATCH (d:Document)
WHERE d.key > $code AND d.key < $until
RETURN d.key AS key, d.source AS source
ORDER BY key
