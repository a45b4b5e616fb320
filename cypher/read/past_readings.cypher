// What former versions of documents said, as bytes (graph/kept_documents.py).
// Parameters: $keys (keys of past documents). Columns: key, reading.
UNWIND $keys AS key
MATCH (p:PastDocument {key: key})
RETURN p.key AS key, p.reading AS reading
