// The chunks of a corpus among the $limit vectors of the whole index that are nearest to a vector. The index compares
// quantized vectors, so what it finds is compared again by the stored ones. Nothing is found where another model made
// the vectors.
// Parameters: $vector (unit length, the index's dimension), $model ('all-MiniLM-L6-v2'), $limit (10), $k (10),
//   $code (the corpus's code), $until ($code + '~'), $documents (null, or keys: only these)
// Columns: seen (vectors looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score, source, url, page, section}, best first, then by key);
//   score = (1 + cosine) / 2; source (what its loader called the document) and url are the document's, null where unknown.
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
CALL db.index.vector.queryNodes('chunk_embedding', $limit, $vector) YIELD node AS c
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score,
     $code < c.key < $until AND ($documents IS NULL OR left(c.key, 20) IN $documents) AS fits
ORDER BY score DESC, c.key
WITH collect({c: c, score: score, fits: fits}) AS found, min(score) AS last
RETURN size(found) AS seen, last,
       COLLECT {
         UNWIND [f IN found WHERE f.fits][..$k] AS f
         WITH f.c AS c, f.score AS score
         OPTIONAL MATCH (c)-[:PART_OF]->(d:Document)
         RETURN c {chunk: c.key, document: left(c.key, 20), .title, .text, score: score,
                   source: d.source, url: d.url, .page, .section}
         ORDER BY score DESC, c.key
       } AS hits
