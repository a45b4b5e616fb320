// The best chunks of a corpus by BM25 (Lucene's, k1 1.2, b 0.75), out of the $limit best that the query text matches.
// The corpus has an index of its own, or shares one. Where several do, it is asked for this one's code, without a score of
// its own; for a single corpus that would only cost time. The key makes sure of it, as the analyzer stems the code too.
// A score of 0 means that only the code matched.
// Parameters: $text ('title:(capital france) text:(capital france)'), $limit (12), $k (10),
//   $code (the corpus's code), $until ($code + '~'), $documents (null, or keys: only these)
// Columns: seen (matches looked at), last (the lowest score seen, null for none),
//   hits (at most k of {chunk, document, title, text, score, source, url, page, section}, best first, then by key).
//   source (what its loader called the document) and url are the document's, null where unknown.
MATCH (own:Corpus {code: $code})
WITH coalesce(own.text_index, 'chunk_text') AS index,
     CASE WHEN own.text_index IS NULL AND COUNT { (:Corpus) } > 1
          THEN '+corpus_code:' + $code + '^0 +(' + $text + ')' ELSE $text END AS asked
CALL db.index.fulltext.queryNodes(index, asked, {limit: $limit}) YIELD node AS c, score
WITH c, score,
     score > 0 AND $code < c.key < $until AND ($documents IS NULL OR left(c.key, 20) IN $documents) AS fits
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
