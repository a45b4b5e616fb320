// The chunks of a corpus among the $limit vectors of the whole index that are nearest to a vector. The index compares
// quantized vectors, so what it finds is compared again by the stored ones.
// Parameters: $vector (unit length, the index's dimension), $limit (40), $k (10), $code (the corpus's code),
//   $until ($code + '~')
// Columns: seen (vectors looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score}, best first, then by key); score = (1 + cosine) / 2.
CALL db.index.vector.queryNodes('chunk_embedding', $limit, $vector) YIELD node AS c
WITH c, vector.similarity.cosine(c.embedding, $vector) AS score ORDER BY score DESC, c.key
WITH collect({c: c, score: score}) AS found, min(score) AS last
RETURN size(found) AS seen, last,
       [f IN [f IN found WHERE $code < f.c.key < $until][..$k]
        | {chunk: f.c.key, document: left(f.c.key, 20), title: f.c.title, text: f.c.text, score: f.score}] AS hits
