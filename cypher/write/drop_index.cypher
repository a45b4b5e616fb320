// Drops a search index, of a corpus that is gone or of vectors that another index has now.
// Parameters: $name ('chunk_text_v8dpfc'). Columns: none.
DROP INDEX $name IF EXISTS
