// The best chunks of a corpus by BM25 (Lucene's, k1 1.2, b 0.75), out of the $limit best that the query text matches.
// The query text names the corpus by its code, without a score of its own; the key makes sure of it, as the analyzer
// stems the code too. A score of 0 means that only the code matched.
// Parameters: $text ('+corpus_code:q4l0vd^0 +(title:(capital france) text:(capital france))'), $limit (40), $k (10),
//   $code (the corpus's code), $until ($code + '~'), $documents (null, or keys: only these)
// Columns: seen (matches looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score}, best first, then by key).
CALL db.index.fulltext.queryNodes('chunk_text', $text, {limit: $limit}) YIELD node AS c, score
WITH c, score,
     score > 0 AND $code < c.key < $until AND ($documents IS NULL OR left(c.key, 20) IN $documents) AS fits
ORDER BY score DESC, c.key
WITH collect({c: c, score: score, fits: fits}) AS found, min(score) AS last
RETURN size(found) AS seen, last,
       [f IN [f IN found WHERE f.fits][..$k]
        | {chunk: f.c.key, document: left(f.c.key, 20), title: f.c.title, text: f.c.text, score: f.score}] AS hits
