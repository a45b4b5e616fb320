// Deletes every node and relationship, in batches.
// Parameters: none. Columns: none.
MATCH (n)
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 2000 ROWS
