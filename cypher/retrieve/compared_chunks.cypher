// These passages with their vectors, to compare each with what is asked. All come in one row, which a client reads faster.
// Parameters: $chunks (chunk keys), $compared (300: so many of them, the first ones, with their vectors).
// Columns: chunks ({chunk, title, text, vector (null where there is none)}, in order of key).
UNWIND range(0, size($chunks) - 1) AS at
MATCH (c:Chunk {key: $chunks[at]})
WITH c, CASE WHEN at < $compared THEN c.embedding END AS vector ORDER BY c.key
RETURN collect({chunk: c.key, title: c.title, text: c.text, vector: vector}) AS chunks
