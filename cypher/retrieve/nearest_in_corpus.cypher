// The chunks of a corpus that are nearest to a vector, compared one by one: for what is a small part of the index, where
// its chunks are not among the nearest of all. Nothing is found where another model made the vectors.
// Parameters: $vector (unit length), $model ('all-MiniLM-L6-v2'), $k (10), $code (the corpus's code),
//   $until ($code + '~'), $documents (null, or keys: only these)
// Columns: chunk, document, title, text, score, source, url, page, section (best first, then by key); score = (1 + cosine) / 2.
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
MATCH (c:Chunk)
WHERE $code < c.key < $until AND ($documents IS NULL OR left(c.key, 20) IN $documents) AND c.embedding IS NOT NULL
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score
ORDER BY score DESC, c.key LIMIT $k
OPTIONAL MATCH (c)-[:PART_OF]->(d:Document)
RETURN c.key AS chunk, left(c.key, 20) AS document, c.title AS title, c.text AS text, score,
       d.source AS source, d.url AS url, c.page AS page, c.section AS section
ORDER BY score DESC, chunk
