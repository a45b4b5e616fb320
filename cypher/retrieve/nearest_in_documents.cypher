// The chunks of each of some documents that are nearest to each of some vectors.
// Parameters: $keys (of documents), $vectors (a list of vectors of unit length), $model ('all-MiniLM-L6-v2'), $k (2)
// Columns: document, question (index of the vector), chunk, title, text, score; by document and question, best first.
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
UNWIND $keys AS key
UNWIND range(0, size($vectors) - 1) AS question
CALL (key, question) {
  MATCH (:Document {key: key})<-[:PART_OF]-(c:Chunk)
  WHERE c.embedding IS NOT NULL
  WITH c, vector.similarity.cosine(c.embedding, $vectors[question]) AS score
  ORDER BY score DESC, c.key LIMIT $k
  RETURN c, score
}
RETURN key AS document, question, c.key AS chunk, c.title AS title, c.text AS text, score
ORDER BY document, question, score DESC, chunk
