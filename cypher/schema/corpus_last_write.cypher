// A corpus of a database older than this property says when it was last written, too.
// Parameters: none. Columns: none.
MATCH (c:Corpus)
WHERE c.last_write IS NULL
SET c.last_write = datetime.realtime()
