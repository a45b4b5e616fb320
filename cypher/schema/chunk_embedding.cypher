// The vector index of before goes: it was quantized, and there can be one on a property. chunk_vector takes its place.
// Parameters: none. Columns: none.
DROP INDEX chunk_embedding IF EXISTS
