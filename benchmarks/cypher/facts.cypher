// The baseline's facts: merged one by one.
// Parameters: $rows ({subject, object, key, properties}). Columns: none.
UNWIND $rows AS row
MATCH (s:Entity {key: row.subject})
MATCH (o:Entity {key: row.object})
MERGE (s)-[f:FACT {key: row.key}]->(o)
SET f += row.properties
