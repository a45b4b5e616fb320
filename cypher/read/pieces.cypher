// Chunks with where they stand in their documents.
// Parameters: $keys (chunk keys). Columns: chunk, source (what its loader called the document), title, published, page, start,
//   text.
UNWIND $keys AS key
MATCH (c:Chunk {key: key})-[:PART_OF]->(d:Document)
RETURN c.key AS chunk, d.source AS source, coalesce(d.title, '') AS title, toString(d.published) AS published,
       c.page AS page, c.start AS start, c.text AS text
