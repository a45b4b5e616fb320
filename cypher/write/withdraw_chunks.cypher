// Deletes chunks; their facts are withdrawn before (withdraw_facts).
// Parameters: $chunks (chunk keys). Columns: entity, form (keys of the entities they mentioned, and of their names' forms),
//   typed (whether a chunk gave the name a class).
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})
WITH c, COLLECT { MATCH (c)-[m:MENTIONS]->(e:Entity) RETURN {key: e.key, form: e.form, typed: m.type IS NOT NULL} } AS mentioned
DETACH DELETE c
WITH mentioned
UNWIND mentioned AS entity
RETURN DISTINCT entity.key AS entity, entity.form AS form, entity.typed AS typed
