// The chunks of a corpus that are nearest to a vector, compared one by one: for a corpus that is a small part of the
// index, where its chunks are not among the nearest of all.
// Parameters: $vector (unit length), $k (10), $code (the corpus's code), $until ($code + '~')
// Columns: chunk, document, title, text, score (best first, then by key); score = (1 + cosine) / 2.
MATCH (c:Chunk)
WHERE $code < c.key < $until AND c.embedding IS NOT NULL
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score
ORDER BY score DESC, c.key LIMIT $k
RETURN c.key AS chunk, left(c.key, 20) AS document, c.title AS title, c.text AS text, score
ORDER BY score DESC, chunk
