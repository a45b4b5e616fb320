// Links chunks to the entities they name; start and end are offsets in the chunk's text, absent where it words it differently.
// Parameters: $rows ({chunk, entity, surface, start, end}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.chunk})
MATCH (e:Entity {key: row.entity})
MERGE (c)-[m:MENTIONS]->(e)
SET m.surface = row.surface, m.start = row.start, m.end = row.end
