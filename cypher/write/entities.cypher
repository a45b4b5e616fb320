// Writes entities; of two classes given for one entity the alphabetically first stays, so that order never matters.
// Parameters: $rows ({key, type, properties}). Columns: none.
UNWIND $rows AS row
MERGE (e:Entity {key: row.key})
ON CREATE SET e = row.properties, e.type = row.type, e.degree = 0
ON MATCH SET e.type = CASE WHEN e.type IS NULL OR row.type < e.type THEN row.type ELSE e.type END
