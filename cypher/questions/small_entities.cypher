// The facts of those entities that may have had one fact, or may have one now, beside what changed.
// Parameters: $entities ({key, changed: number of changed facts there}). Columns: sr, ro, key.
UNWIND $entities AS entity
MATCH (e:Entity {key: entity.key})
WHERE e.degree <= entity.changed + 1
MATCH (e)-[f:FACT]-()
RETURN DISTINCT f.sr AS sr, f.ro AS ro, f.key AS key
