// Writes facts that are not there yet (known_facts; the corpus is locked, so that stays true), subject by subject.
// Parameters: $rows ({subject, facts: [{object, properties: {key, relation, label, period, sr, ro, objects, subjects, novel,
//   chunks, sentences, said, cells, written, confidence}}]}). Columns: none.
UNWIND $rows AS row
MATCH (s:Entity {key: row.subject})
UNWIND row.facts AS item
MATCH (o:Entity {key: item.object})
WITH s, o, item.properties AS fact
CREATE (s)-[:FACT {
  key: fact.key, relation: fact.relation, label: fact.label, period: fact.period, sr: fact.sr, ro: fact.ro,
  objects: fact.objects, subjects: fact.subjects, novel: fact.novel, chunks: fact.chunks, sentences: fact.sentences,
  said: fact.said, cells: fact.cells, written: fact.written, confidence: fact.confidence
}]->(o)
