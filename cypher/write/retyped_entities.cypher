// Which stored entities get another class by these rows (write/entities keeps the alphabetically first).
// Parameters: $rows ({key, type}). Columns: key.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
WHERE row.type IS NOT NULL AND (e.type IS NULL OR row.type < e.type)
RETURN e.key AS key
