// The baseline's entities: merged by key.
// Parameters: $rows ({key, type, properties}). Columns: none.
UNWIND $rows AS row
MERGE (e:Entity {key: row.key})
SET e += row.properties, e.type = row.type
