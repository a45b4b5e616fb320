// Gives the chunks of an older database what the search indexes of Neo4j 2026 need: the corpus as a label, and the time.
// Parameters: $code (the corpus's code), $until ($code + '~'), $label ('Corpus_v8dpfc'). Columns: none.
MATCH (c:Chunk)
WHERE $code < c.key < $until
CALL (c) {
  MATCH (c)-[:PART_OF]->(d:Document)
  SET c.published = d.published, c:$($label)
} IN TRANSACTIONS OF 5000 ROWS
