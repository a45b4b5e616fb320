// The documents of a corpus whose summaries are nearest to a vector, compared one by one.
// Parameters: $vector (unit length), $model ('all-MiniLM-L6-v2'), $limit (100), $code (the corpus's code),
//   $until ($code + '~'), $documents (null, or keys: only these)
// Columns: document (best first, then by key).
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
MATCH (d:Document)
WHERE $code < d.key < $until AND ($documents IS NULL OR d.key IN $documents)
  AND d.summary_embedding IS NOT NULL
WITH d, vector.similarity.cosine(d.summary_embedding, $vector) AS score
ORDER BY score DESC, d.key LIMIT $limit
RETURN d.key AS document
ORDER BY score DESC, document
