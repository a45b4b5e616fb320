// Entities of exactly this form, and those whose names hold some words, the best connected first, of the passages that
// the query text matches best, so that the cost does not grow with the corpus.
// Parameters: $text ('+corpus_code:q4l0vd^0 +(title:(port port*) text:(port port*))'), $passages (500), $words (['port'],
//   in lower case), $form (key of the whole name's form), $code (the corpus's code), $until ($code + '~'), $limit (20).
// Columns: key, label, kind, type, degree.
CALL () {
  MATCH (e:Entity {form: $form}) RETURN e
  UNION
  MATCH (own:Corpus {code: $code})
  CALL db.index.fulltext.queryNodes(coalesce(own.text_index, 'chunk_text'), $text, {limit: $passages}) YIELD node AS c
  WHERE $code < c.key < $until
  MATCH (c)-[:MENTIONS]->(e:Entity)
  WHERE ALL(word IN $words WHERE toLower(e.label) CONTAINS word)
  RETURN DISTINCT e
}
RETURN e.key AS key, e.label AS label, e.kind AS kind, e.type AS type, e.degree AS degree
ORDER BY coalesce(e.form = $form, false) DESC, degree DESC, key LIMIT $limit
