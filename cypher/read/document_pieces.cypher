// What is stored of documents: each chunk's text with where it starts in its document.
// Parameters: $keys (document keys). Columns: key, source, title, pieces ({chunk, start, text}, in their order).
UNWIND $keys AS key
MATCH (d:Document {key: key})
RETURN d.key AS key, d.source AS source, coalesce(d.title, '') AS title,
       COLLECT {
         MATCH (d)<-[:PART_OF]-(c:Chunk)
         RETURN c {.start, .text, chunk: c.key} ORDER BY c.index
       } AS pieces
ORDER BY key
