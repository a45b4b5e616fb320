// Chunks with what is known of their documents, in order of key.
// Parameters: $keys (chunk keys). Columns: chunk, text, title, doc_type, domain (else the type), published, metadata (names and values of pairs).
UNWIND $keys AS key
MATCH (c:Chunk {key: key})-[:PART_OF]->(d:Document)
RETURN c.key AS chunk, c.text AS text, d.title AS title, d.doc_type AS doc_type,
       coalesce(d.domain, d.doc_type) AS domain, toString(d.published) AS published,
       [name IN keys(d) WHERE name STARTS WITH 'metadata_' | [substring(name, 9), toString(d[name])]] AS metadata
ORDER BY chunk
