// Remembers the vector index of a corpus.
// Parameters: $corpus ('demo'), $name ('chunk_vector_v8dpfc'; null: it has none any more). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c.vector_index = $name
