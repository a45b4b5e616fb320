// Documents as a whole: title, and the texts of their chunks in their order.
// Parameters: $keys (document keys). Columns: key, source, title, url, texts.
MATCH (d:Document)
WHERE d.key IN $keys
RETURN d.key AS key, d.source AS source, d.title AS title, d.url AS url,
       COLLECT { MATCH (d)<-[:PART_OF]-(c:Chunk) RETURN c.text ORDER BY c.index } AS texts
ORDER BY key
