// Keeps versions of documents that end; no other statement but those about the past looks at them.
// Parameters: $rows ({key, properties}). Columns: none.
UNWIND $rows AS row
CREATE (p:PastDocument {key: row.key})
SET p += row.properties
