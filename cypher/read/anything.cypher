// Whether the database holds anything but the name of its embedding model.
// Parameters: none. Columns: found (one row if so, else none).
MATCH (n:Document|Chunk|Entity|Question|Corpus|Decision)
RETURN true AS found LIMIT 1
