// Forgets that documents were added, changed or removed: what is said of that has their titles, and a title may be the first
// sentence of a text.
// Parameters: $code (the corpus's code), $until ($code + '~'), $named (what such a document's name ends with: ': report.md',
//   ' (report.md)'). Columns: none.
CALL () {
  MATCH (q:Question)
  WHERE q.key > $code AND q.key < $until AND ANY(name IN $named WHERE q.cause CONTAINS name)
  SET q.cause = ''
}
CALL () {
  MATCH (c:Change)
  WHERE c.key > $code AND c.key < $until
  SET c.facts = [fact IN c.facts | CASE WHEN ANY(name IN $named WHERE fact ENDS WITH name) THEN left(fact, 76) ELSE fact END]
}
