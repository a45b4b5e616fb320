// Forgets every vector, in batches, before `reembed` makes them with another model.
// Parameters: none. Columns: none.
MATCH (c:Chunk)
WHERE c.embedding IS NOT NULL
CALL (c) {
  REMOVE c.embedding
} IN TRANSACTIONS OF 5000 ROWS
