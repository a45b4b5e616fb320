// The passages that mention these entities, or others whose names have the same form.
// Parameters: $entities (keys). Columns: entity (key), chunks (keys).
UNWIND $entities AS key
MATCH (:Entity {key: key})
CALL (key) {
  MATCH (e:Entity {key: key})
  MATCH (o:Entity {form: e.form})<-[:MENTIONS]-(c:Chunk)
  WITH DISTINCT c ORDER BY c.key
  RETURN collect(c.key) AS chunks
}
RETURN key AS entity, chunks
