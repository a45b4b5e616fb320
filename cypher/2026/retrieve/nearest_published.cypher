// The chunks of a corpus that are nearest to a vector, of those published in a time: the corpus's own index looks at no
// others. What it finds is compared again by the stored vectors. Nothing is found where another model made the vectors.
// A SEARCH takes no parameter for an index: kgservice puts the corpus's own in place of the demo's.
// Parameters: $vector (unit length, the index's dimension), $model ('all-MiniLM-L6-v2'), $limit (10), $k (10),
//   $first (date), $last (date)
// Columns: seen (vectors looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score, source, url, page, section}, best first, then by key);
//   score = (1 + cosine) / 2; source (what its loader called the document) and url are the document's, null where unknown.
CYPHER 25
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
MATCH (c:Corpus_v8dpfc)
  SEARCH c IN (
    VECTOR INDEX chunk_vector_v8dpfc FOR $vector
    WHERE c.published >= $first AND c.published <= $last
    LIMIT $limit
  )
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score
ORDER BY score DESC, c.key
WITH collect({c: c, score: score}) AS found, min(score) AS last
RETURN size(found) AS seen, last,
       COLLECT {
         UNWIND found[..$k] AS f
         WITH f.c AS c, f.score AS score
         OPTIONAL MATCH (c)-[:PART_OF]->(d:Document)
         RETURN c {chunk: c.key, document: left(c.key, 20), .title, .text, score: score,
                   source: d.source, url: d.url, .page, .section}
         ORDER BY score DESC, c.key
       } AS hits
