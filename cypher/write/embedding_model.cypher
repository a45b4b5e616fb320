// Remembers which model made the vectors, and their dimension.
// Parameters: $name ('all-MiniLM-L6-v2'), $dimension (384). Columns: none.
MERGE (m:EmbeddingModel {key: 'chunks'})
SET m.name = $name, m.dimension = $dimension
