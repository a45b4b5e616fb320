// Where chunks stand: their documents, pages and sections.
// Parameters: $keys (chunk keys). Columns: chunk, source (what its loader called the document), url, page, section.
UNWIND $keys AS key
MATCH (c:Chunk {key: key})-[:PART_OF]->(d:Document)
RETURN c.key AS chunk, d.source AS source, d.url AS url, c.page AS page, c.section AS section
