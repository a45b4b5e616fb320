// The chunks of a corpus that are nearest to a vector, by the corpus's own index. What it finds is compared again by the
// stored vectors. Nothing is found where another model made the vectors.
// Parameters: $vector (unit length, the index's dimension), $model ('all-MiniLM-L6-v2'), $limit (10), $k (10),
//   $code (the corpus's code)
// Columns: seen (vectors looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score}, best first, then by key); score = (1 + cosine) / 2.
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
MATCH (own:Corpus {code: $code})
WHERE own.vector_index IS NOT NULL
CALL db.index.vector.queryNodes(own.vector_index, $limit, $vector) YIELD node AS c
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score
ORDER BY score DESC, c.key
WITH collect({c: c, score: score}) AS found, min(score) AS last
RETURN size(found) AS seen, last,
       [f IN found[..$k]
        | {chunk: f.c.key, document: left(f.c.key, 20), title: f.c.title, text: f.c.text, score: f.score}] AS hits
