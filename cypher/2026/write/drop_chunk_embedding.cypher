// Drops the vector index, before `reembed` makes one of another dimension.
// Parameters: none. Columns: none.
DROP INDEX chunk_vector IF EXISTS
