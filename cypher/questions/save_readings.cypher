// Keeps what the relation reader found in the sentences of passages.
// Parameters: $rows ({chunk (key), readings: JSON}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.chunk})
SET c.readings = row.readings
