// How much a corpus holds, counted; entities are those of facts, not what passages only mention.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: documents, chunks, facts, entities.
CALL () {
  MATCH (d:Document) WHERE d.key > $code AND d.key < $until RETURN count(d) AS documents
}
CALL () {
  MATCH (c:Chunk) WHERE c.key > $code AND c.key < $until RETURN count(c) AS chunks
}
CALL () {
  MATCH ()-[f:FACT]->() WHERE f.key > $code AND f.key < $until RETURN count(f) AS facts
}
CALL () {
  MATCH (e:Entity) WHERE e.key > $code AND e.key < $until AND e.degree > 0 RETURN count(e) AS entities
}
RETURN documents, chunks, facts, entities
