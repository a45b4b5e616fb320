// Drops the full-text index of a corpus that is gone.
// Parameters: $name ('chunk_text_v8dpfc'). Columns: none.
DROP INDEX $name IF EXISTS
