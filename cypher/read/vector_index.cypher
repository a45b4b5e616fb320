// The vector index of a corpus.
// Parameters: $corpus ('demo'). Columns: name (null where it has none).
MATCH (c:Corpus {name: $corpus})
RETURN c.vector_index AS name
