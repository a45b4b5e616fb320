// Where a fact comes from: the fact stated most often, with its chunks and documents. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo'. Columns: subject, fact, object, chunk, document.
MATCH (k:Corpus {name: 'demo'})
MATCH (s:Entity)-[f:FACT]->(o:Entity)
WHERE f.sr > k.code AND f.sr < k.code + '~'
WITH s, f, o ORDER BY size(f.chunks) DESC, f.key LIMIT 1
UNWIND f.chunks AS key
MATCH (c:Chunk {key: key})-[:PART_OF]->(d:Document)
RETURN s AS subject, f AS fact, o AS object, c AS chunk, d AS document
