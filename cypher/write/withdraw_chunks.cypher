// Deletes chunks; their facts are withdrawn before (withdraw_facts).
// Parameters: $chunks (chunk keys). Columns: entity (keys of the entities they mentioned).
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})
WITH c, COLLECT { MATCH (c)-[:MENTIONS]->(e:Entity) RETURN e.key } AS mentioned
DETACH DELETE c
WITH mentioned
UNWIND mentioned AS entity
RETURN DISTINCT entity
