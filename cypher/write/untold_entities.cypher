// Forgets what an index told of items that no chunk names by themselves any more: decisions alone put other names there.
// Parameters: $entities (keys). Columns: none.
UNWIND $entities AS key
MATCH (e:Entity {key: key})
WHERE NOT e.id STARTS WITH 'local:' AND NOT EXISTS { (e)<-[m:MENTIONS]-() WHERE m.names IS NULL OR e.id IN m.names }
SET e.description = null, e.aliases = null
