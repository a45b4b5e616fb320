// The model that made the vectors of this database.
// Parameters: none. Columns: name, dimension.
MATCH (m:EmbeddingModel {key: 'chunks'})
RETURN m.name AS name, m.dimension AS dimension
