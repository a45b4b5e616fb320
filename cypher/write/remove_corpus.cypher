// Removes everything of a corpus, in batches; its name last (forget_corpus).
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: none.
CALL () {
  MATCH (n:Chunk) WHERE n.key > $code AND n.key < $until RETURN n
  UNION ALL
  MATCH (n:Question) WHERE n.key > $code AND n.key < $until RETURN n
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
}
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 2000 ROWS
