// The chunks that name entities: all of them, or (own false) those in which another name was written.
// Parameters: $rows ({key: entity key, own}). Columns: chunk.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})<-[m:MENTIONS]-(c:Chunk)
WHERE row.own OR m.names IS NOT NULL
RETURN DISTINCT c.key AS chunk
