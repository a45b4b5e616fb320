// How much a corpus holds, as its last write has stored it, or counted; entities are those of facts, not what passages only
// mention. It is counted where no write has stored it: in a new corpus, one of an earlier version, one removed in part.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: documents, chunks, facts, entities.
OPTIONAL MATCH (c:Corpus {code: $code})
CALL (c) {
  WITH c WHERE c.documents IS NULL
  MATCH (d:Document) WHERE d.key > $code AND d.key < $until RETURN count(d) AS documents
}
CALL (c) {
  WITH c WHERE c.chunks IS NULL
  MATCH (k:Chunk) WHERE k.key > $code AND k.key < $until RETURN count(k) AS chunks
}
CALL (c) {
  WITH c WHERE c.facts IS NULL
  MATCH ()-[f:FACT]->() WHERE f.key > $code AND f.key < $until RETURN count(f) AS facts
}
CALL (c) {
  WITH c WHERE c.entities IS NULL
  MATCH (e:Entity) WHERE e.key > $code AND e.key < $until AND e.degree > 0 RETURN count(e) AS entities
}
RETURN coalesce(c.documents, documents) AS documents, coalesce(c.chunks, chunks) AS chunks,
       coalesce(c.facts, facts) AS facts, coalesce(c.entities, entities) AS entities
