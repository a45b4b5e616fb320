// Waits until an index holds what was stored before it was made.
// Parameters: $name ('chunk_text_v8dpfc'), $seconds (86400). Columns: none.
CALL db.awaitIndex($name, $seconds)
