// Documents with their chunks in order, without vectors: what is kept of a version that ends, and copied to a view.
// Parameters: $keys (document keys). Columns: document (properties), chunks (properties of each).
UNWIND $keys AS key
MATCH (d:Document {key: key})
RETURN d {.*, summary_embedding: null} AS document,
       COLLECT { MATCH (d)<-[:PART_OF]-(c:Chunk) RETURN c {.*, embedding: null, readings: null} ORDER BY c.index } AS chunks
