// Chunks of a corpus with the documents that they are of, in order of key, a page at a time.
// Parameters: $after ($code to start), $until ($code + '~'), $limit (500). Columns: chunk, document,
//   title, text, source (of the document), start (of the chunk in it).
MATCH (c:Chunk)
WHERE c.key > $after AND c.key < $until
WITH c ORDER BY c.key LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Document)
RETURN c.key AS chunk, d.key AS document, coalesce(d.title, '') AS title, c.text AS text,
       d.source AS source, c.start AS start
ORDER BY chunk
