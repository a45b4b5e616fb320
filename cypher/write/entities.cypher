// Writes entities; of two classes given for one entity the alphabetically first stays, so that order never matters.
// What is known of an item is what the last index tells.
// Parameters: $rows ({key, type, properties}). Columns: none.
UNWIND $rows AS row
MERGE (e:Entity {key: row.key})
ON CREATE SET e = row.properties, e.type = row.type, e.degree = 0
ON MATCH SET e.type = CASE WHEN e.type IS NULL OR row.type < e.type THEN row.type ELSE e.type END,
  e.label = row.properties.label, e.description = row.properties.description, e.aliases = row.properties.aliases
