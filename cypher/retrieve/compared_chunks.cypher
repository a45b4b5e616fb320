// These passages with their vectors, to compare each with what is asked.
// Parameters: $chunks (chunk keys), $compared (300: so many of them, the first ones, with their vectors).
// Columns: chunk, title, text, vector (null where there is none), in order of key.
UNWIND range(0, size($chunks) - 1) AS at
MATCH (c:Chunk {key: $chunks[at]})
RETURN c.key AS chunk, c.title AS title, c.text AS text, CASE WHEN at < $compared THEN c.embedding END AS vector
ORDER BY chunk
