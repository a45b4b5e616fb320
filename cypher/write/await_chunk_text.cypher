// Waits until the full-text index holds everything that is committed.
// Parameters: none. Columns: none.
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
