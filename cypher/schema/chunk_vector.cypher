// Vector search over chunks by cosine similarity, on vectors as they are: the index's scores need no second look.
// Parameters: $dimension (384). Columns: none.
CREATE VECTOR INDEX chunk_vector IF NOT EXISTS FOR (c:Chunk) ON (c.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false
}}
