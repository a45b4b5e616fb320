// What an agent that writes Cypher asks for a fact: its sentences, documents and passages.
// Parameters: $subject and $relation (labels), $code (of the corpus). The agent writes them into the text.
// Columns: subject, relation, object, sentence, document, start, passage.
MATCH (s:Entity {label: $subject})-[f:FACT {label: $relation}]->(o:Entity)
WHERE s.key STARTS WITH $code
UNWIND range(0, size(f.chunks) - 1) AS i
MATCH (c:Chunk {key: f.chunks[i]})-[:PART_OF]->(d:Document)
RETURN s.label AS subject, f.label AS relation, o.label AS object, f.sentences[i] AS sentence, d.source AS document,
  c.start AS start, c.text AS passage LIMIT 3
