// What was said since a day: the facts that documents published from then on state. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo' and your day for the date. Columns: subject, fact, object, document.
MATCH (k:Corpus {name: 'demo'})
MATCH (d:Document)
WHERE d.key > k.code AND d.key < k.code + '~' AND d.published >= date('2031-01-01')
MATCH (d)<-[:PART_OF]-(c:Chunk)-[:MENTIONS]->(s:Entity)-[f:FACT]->(o:Entity)
WHERE c.key IN f.chunks
RETURN s AS subject, f AS fact, o AS object, d AS document
LIMIT 60
