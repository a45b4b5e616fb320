// The names of passages that have words like those that a query may misspell, and of passages that are near it.
// Parameters: $text ('title:(habrour~2)^2 text:(habrour~2)'), $limit (12 passages), $near (chunk keys),
//   $code (the corpus's code), $until ($code + '~').
// Columns: form, label (of the entities of a form the alphabetically first), mentions (how many passages do).
CALL () {
  MATCH (own:Corpus {code: $code})
  WITH coalesce(own.text_index, 'chunk_text') AS index,
       CASE WHEN own.text_index IS NULL AND COUNT { (:Corpus) } > 1
            THEN '+corpus_code:' + $code + '^0 +(' + $text + ')' ELSE $text END AS asked
  CALL db.index.fulltext.queryNodes(index, asked, {limit: $limit}) YIELD node AS c
  WHERE $code < c.key < $until
  RETURN c
  UNION
  UNWIND $near AS key
  MATCH (c:Chunk {key: key})
  RETURN c
}
MATCH (c)-[:MENTIONS]->(e:Entity {kind: 'entity'})
WITH DISTINCT e.form AS form
MATCH (e:Entity {form: form})
RETURN form, min(e.label) AS label, sum(COUNT { (e)<-[:MENTIONS]-() }) AS mentions
ORDER BY form
