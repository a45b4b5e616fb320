// What the loaders called the documents of a corpus.
// Parameters: $corpus ('demo'). Columns: key, source.
MATCH (d:Document {corpus: $corpus})
RETURN d.key AS key, d.source AS source
ORDER BY key
