// The entities that chunks name, numbers and dates left out, with the place of the name in the chunk's text.
// Parameters: $chunks (keys). Columns: chunk, label, start (0 where the name stands otherwise in the text).
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})-[m:MENTIONS]->(e:Entity {kind: 'entity'})
RETURN c.key AS chunk, e.label AS label, coalesce(m.start, 0) AS start
ORDER BY chunk, start, label
