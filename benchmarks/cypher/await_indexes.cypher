// Waits until every index is online.
// Parameters: none. Columns: none.
CALL db.awaitIndexes()
