// Writes documents; a row's `properties` replace what was stored.
// Parameters: $rows ({key, properties}). Columns: none.
UNWIND $rows AS row
MERGE (d:Document {key: row.key})
SET d = row.properties
