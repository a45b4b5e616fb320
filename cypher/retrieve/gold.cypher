// The chunks of a corpus that are named, and those of named documents.
// Parameters: $keys (of chunks and documents), $code (the corpus's code), $until ($code + '~'),
//   $documents (null, or keys: only these)
// Columns: chunk, document, title, text, score (1 for a named chunk, 1 / place in the document else).
UNWIND $keys AS key
MATCH (d:Document {key: left(key, 20)})<-[:PART_OF]-(c:Chunk)
WHERE (key = d.key OR key = c.key) AND $code < c.key < $until AND ($documents IS NULL OR d.key IN $documents)
WITH c, d, max(CASE key WHEN c.key THEN 1.0 ELSE 1.0 / (c.index + 1) END) AS score
RETURN c.key AS chunk, d.key AS document, c.title AS title, c.text AS text, score
ORDER BY chunk
