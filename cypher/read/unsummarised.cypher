// A batch of documents with vectors that have no summary yet, in order of key, with the texts of their chunks.
// Parameters: $after ($code to start), $until (code + '~'), $limit (64).
// Columns: key, content_hash, title, texts, vector (the only chunk's, null where there are several).
MATCH (d:Document)
WHERE d.key > $after AND d.key < $until AND d.summary_embedding IS NULL
  AND EXISTS { (d)<-[:PART_OF]-(c:Chunk) WHERE c.embedding IS NOT NULL }
WITH d ORDER BY d.key LIMIT $limit
CALL (d) {
  MATCH (d)<-[:PART_OF]-(c:Chunk)
  WITH c ORDER BY c.index
  RETURN collect(c.text) AS texts, CASE count(c) WHEN 1 THEN head(collect(c.embedding)) END AS vector
}
RETURN d.key AS key, d.content_hash AS content_hash, d.title AS title, texts, vector
ORDER BY key
