// The facts of these entities.
// Parameters: $entities (keys). Columns: sr, ro, key.
UNWIND $entities AS key
MATCH (e:Entity {key: key})-[f:FACT]-()
RETURN DISTINCT f.sr AS sr, f.ro AS ro, f.key AS key
