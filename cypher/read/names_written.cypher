// Which names are written where an entity is meant, and in how many chunks.
// Parameters: $key (entity key). Columns: name (id), chunks.
MATCH (e:Entity {key: $key})<-[m:MENTIONS]-(:Chunk)
UNWIND coalesce(m.names, [e.id]) AS name
RETURN name, count(*) AS chunks
ORDER BY chunks DESC, name
