// The baseline's provenance links: merged one by one.
// Parameters: $rows ({chunk, entity, surface, start, end}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.chunk})
MATCH (e:Entity {key: row.entity})
MERGE (c)-[m:MENTIONS]->(e)
SET m.surface = row.surface, m.start = row.start, m.end = row.end
