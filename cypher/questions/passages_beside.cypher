// The passages that mention these entities, and the forms of all names that they mention.
// Parameters: $entities (keys). Columns: chunk (key), forms (keys).
UNWIND $entities AS key
MATCH (:Entity {key: key})<-[:MENTIONS]-(c:Chunk)
WITH DISTINCT c
RETURN c.key AS chunk, COLLECT { MATCH (c)-[:MENTIONS]->(o:Entity) RETURN DISTINCT o.form } AS forms
