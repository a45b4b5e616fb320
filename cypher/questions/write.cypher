// Writes questions and what they use; a question that is there already is brought up to date. One that is no longer as the
// writer has read it stays: a person may have decided about it, or another run may have retired it. One that asks by passages
// that are gone is left out: they may have been forgotten since they were read.
// Parameters: $rows ({key, properties, chunks (keys), quoted (keys of the chunks of its rivals), named, answers (entity keys),
//   seen: {state, question, facts, metadata} as the writer has read them, null where there was none}).
// Columns: key (of each question that was written).
UNWIND $rows AS row
WITH row
WHERE row.properties.state = 'retired' OR ALL(key IN row.chunks + row.quoted WHERE EXISTS { MATCH (:Chunk {key: key}) })
MERGE (q:Question {key: row.key})
SET q.locked = true
REMOVE q.locked
WITH q, row
WHERE q.state IS NULL OR (q.state = row.seen.state AND q.question = row.seen.question
  AND q.facts = row.seen.facts AND q.metadata = row.seen.metadata)
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
RETURN q.key AS key
