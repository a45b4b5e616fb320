// Writes questions and what they use; a question that is there already is brought up to date.
// Parameters: $rows ({key, properties, chunks (keys), named, answers (entity keys)}). Columns: none.
UNWIND $rows AS row
MERGE (q:Question {key: row.key})
SET q = row.properties
WITH q, row
CALL (q) {
  MATCH (q)-[u:USES]->()
  DELETE u
}
CALL (q, row) {
  UNWIND row.chunks AS key
  MATCH (c:Chunk {key: key})
  MERGE (q)-[:USES {slot: 'evidence'}]->(c)
}
CALL (q, row) {
  UNWIND row.named AS key
  MATCH (e:Entity {key: key})
  MERGE (q)-[:USES {slot: 'named'}]->(e)
}
CALL (q, row) {
  UNWIND row.answers AS key
  MATCH (e:Entity {key: key})
  MERGE (q)-[:USES {slot: 'answer'}]->(e)
}
