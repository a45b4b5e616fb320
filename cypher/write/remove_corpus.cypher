// Removes everything of a corpus, in batches; its name last (forget_corpus). The stored counts go with the first batch, under
// the lock of the corpus's writers.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: none.
CALL () {
  MATCH (n:Chunk) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Question) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:QuestionSource) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Change) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Decision) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Spelling) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Entity) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Document) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:PastDocument) WHERE n.key > $code AND n.key < $until RETURN n
}
CALL (n) {
  OPTIONAL MATCH (c:Corpus {code: $code})
  SET c.locked = true
  REMOVE c.locked, c.documents, c.chunks, c.facts, c.entities
  WITH n
  DETACH DELETE n
} IN TRANSACTIONS OF 2000 ROWS
