// The documents of a corpus that share names with some of its documents: where one article leads to another. A name that
// many passages have joins nothing.
// Parameters: $keys (document keys), $most (20, passages that have a name). Columns: key, title, names.
MATCH (d:Document)<-[:PART_OF]-(:Chunk)-[:MENTIONS]->(e:Entity {kind: 'entity'})
WHERE d.key IN $keys
WITH DISTINCT e
WHERE COUNT { (e)<-[:MENTIONS]-() } <= $most
MATCH (e)<-[:MENTIONS]-(:Chunk)-[:PART_OF]->(other:Document)
WHERE NOT other.key IN $keys AND other.doc_type <> 'question'
RETURN other.key AS key, other.title AS title, collect(DISTINCT e.label) AS names
ORDER BY key
