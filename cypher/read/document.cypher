// One document with its chunks.
// Parameters: $corpus ('demo'), $key. Columns: document, chunks (all properties without vectors).
MATCH (d:Document {key: $key, corpus: $corpus})
RETURN d {.*, summary_embedding: null} AS document,
       COLLECT {
         MATCH (d)<-[:PART_OF]-(c:Chunk)
         RETURN c {.key, .index, .kind, .section, .page, .tokens, .text, .extracted}
         ORDER BY c.index
       } AS chunks
