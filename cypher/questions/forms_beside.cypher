// The forms of the names that are mentioned beside these entities in some passage.
// Parameters: $entities (keys). Columns: form (key).
UNWIND $entities AS key
MATCH (:Entity {key: key})<-[:MENTIONS]-(:Chunk)-[:MENTIONS]->(o:Entity)
RETURN DISTINCT o.form AS form
