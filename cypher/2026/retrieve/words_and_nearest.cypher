// chunk_text, nearest_chunks and entities_by_form in one look: what a query is first asked costs one transaction.
// Parameters: $text, $words_limit (14) as $limit there, $vector, $model, $limit, $k, $code, $until, $documents,
//   $names ({forms} as $forms there; in a map, as a list of another length would be planned anew),
//   $vectors (true: the hits' vectors too)
// Columns: words, nearest: each {seen, last, hits} as there; named: the rows of entities_by_form;
//   vectors ({chunk, vector}, a chunk of both lists twice; none where they are not asked for).
CALL () {
  MATCH (own:Corpus {code: $code})
  WITH coalesce(own.text_index, 'chunk_text') AS index,
       CASE WHEN own.text_index IS NULL AND COUNT { (:Corpus) } > 1
            THEN '+corpus_code:' + $code + '^0 +(' + $text + ')' ELSE $text END AS asked
  CALL db.index.fulltext.queryNodes(index, asked, {limit: $words_limit}) YIELD node AS c, score
  WITH c, score,
       score > 0 AND $code < c.key < $until AND ($documents IS NULL OR left(c.key, 20) IN $documents) AS fits
  ORDER BY score DESC, c.key
  RETURN collect({c: c, score: score, fits: fits}) AS by_words
}
CALL () {
  MATCH (:EmbeddingModel {key: 'chunks', name: $model})
  MATCH (own:Corpus {code: $code})
  WHERE own.vector_index IS NOT NULL
  CALL db.index.vector.queryNodes(own.vector_index, $limit, $vector) YIELD node AS c
  WITH c, vector.similarity.cosine(c.embedding, $vector) AS score
  ORDER BY score DESC, c.key
  RETURN collect({c: c, score: score}) AS by_vector
}
CALL () {
  UNWIND $names.forms AS form
  MATCH (e:Entity {form: form})
  WITH form, min(e.label) AS label, sum(COUNT { (e)<-[:MENTIONS]-() }) AS mentions
  WHERE mentions > 0
  RETURN collect({form: form, label: label, mentions: mentions}) AS named
}
WITH by_words, by_vector, named, [f IN by_words WHERE f.fits][..$k] AS worded, by_vector[..$k] AS near
RETURN {
  seen: size(by_words), last: by_words[-1].score,
  hits: COLLECT {
    UNWIND worded AS f
    WITH f.c AS c, f.score AS score
    OPTIONAL MATCH (c)-[:PART_OF]->(d:Document)
    RETURN c {chunk: c.key, document: left(c.key, 20), .title, .text, score: score,
              source: d.source, url: d.url, .page, .section}
    ORDER BY score DESC, c.key
  }
} AS words, {
  seen: size(by_vector), last: by_vector[-1].score,
  hits: COLLECT {
    UNWIND near AS f
    WITH f.c AS c, f.score AS score
    OPTIONAL MATCH (c)-[:PART_OF]->(d:Document)
    RETURN c {chunk: c.key, document: left(c.key, 20), .title, .text, score: score,
              source: d.source, url: d.url, .page, .section}
    ORDER BY score DESC, c.key
  }
} AS nearest, named,
  CASE WHEN $vectors THEN [f IN worded + near | {chunk: f.c.key, vector: f.c.embedding}] ELSE [] END AS vectors
