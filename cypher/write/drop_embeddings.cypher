// Forgets every vector, of chunks and of summaries, in batches, before `reembed` makes them with another model.
// Parameters: none. Columns: none.
MATCH (n:Chunk|Document)
WHERE n.embedding IS NOT NULL OR n.summary_embedding IS NOT NULL
CALL (n) {
  REMOVE n.embedding, n.summary_embedding
} IN TRANSACTIONS OF 5000 ROWS
