// What is stored of these documents: their hashes and their chunks.
// Parameters: $keys (document keys). Columns: key, content_hash, version, published,
//   source, title, chunks (keys).
UNWIND $keys AS key
MATCH (d:Document {key: key})
RETURN d.key AS key, d.content_hash AS content_hash, d.version AS version, d.published AS published,
       d.source AS source, d.title AS title,
       COLLECT { MATCH (d)<-[:PART_OF]-(c:Chunk) RETURN c.key } AS chunks
