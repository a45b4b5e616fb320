// The chunks of a corpus among the $limit vectors of the whole index that are nearest to a vector. The index compares
// quantized vectors, so what it finds is compared again by the stored ones. Nothing is found where another model made
// the vectors.
// Parameters: $vector (unit length, the index's dimension), $model ('all-MiniLM-L6-v2'), $limit (10), $k (10),
//   $code (the corpus's code), $until ($code + '~'), $documents (null, or keys: only these)
// Columns: seen (vectors looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score}, best first, then by key); score = (1 + cosine) / 2.
MATCH (:EmbeddingModel {key: 'chunks', name: $model})
CALL db.index.vector.queryNodes('chunk_embedding', $limit, $vector) YIELD node AS c
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score,
     $code < c.key < $until AND ($documents IS NULL OR left(c.key, 20) IN $documents) AS fits
ORDER BY score DESC, c.key
WITH collect({c: c, score: score, fits: fits}) AS found, min(score) AS last
RETURN size(found) AS seen, last,
       [f IN [f IN found WHERE f.fits][..$k]
        | {chunk: f.c.key, document: left(f.c.key, 20), title: f.c.title, text: f.c.text, score: f.score}] AS hits
