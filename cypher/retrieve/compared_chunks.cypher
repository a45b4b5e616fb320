// These passages with how near each is to a vector.
// Parameters: $chunks (chunk keys), $vector (unit length, or null). Columns: chunk, title, text, cosine (null where there
//   is no vector), in order of key.
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})
RETURN c.key AS chunk, c.title AS title, c.text AS text,
       2 * vector.similarity.cosine(c.embedding, $vector) - 1 AS cosine
ORDER BY chunk
