// Drops one index.
// Parameters: $name ('chunk_text'). Columns: none.
DROP INDEX $name IF EXISTS
