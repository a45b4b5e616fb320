// Stores vectors of chunks.
// Parameters: $rows ({key, vector}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.key})
CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)
