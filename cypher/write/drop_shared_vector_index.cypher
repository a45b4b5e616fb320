// Drops the vector index without filters, once the one of Neo4j 2026 takes its place.
// Parameters: none. Columns: none.
DROP INDEX chunk_embedding IF EXISTS
