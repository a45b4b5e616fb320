// Drops the full-text index of all corpora: on Neo4j 2026 each corpus has one of its own (write/corpus_text_index).
// Parameters: none. Columns: none.
DROP INDEX chunk_text IF EXISTS
