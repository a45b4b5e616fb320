// Deletes the entities that no fact and no chunk names any more.
// Parameters: $entities (keys). Columns: none.
UNWIND $entities AS key
MATCH (e:Entity {key: key})
WHERE NOT EXISTS { (e)-[:FACT]-() } AND NOT EXISTS { (e)<-[:MENTIONS]-() }
DETACH DELETE e
