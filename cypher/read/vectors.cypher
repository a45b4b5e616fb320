// A batch of the vectors of a corpus, in order of key.
// Parameters: $after ($code to start), $until (code + '~'), $limit (2000). Columns: key, vector.
MATCH (c:Chunk)
WHERE $after < c.key < $until AND c.embedding IS NOT NULL
RETURN c.key AS key, c.embedding AS vector
ORDER BY key LIMIT $limit
