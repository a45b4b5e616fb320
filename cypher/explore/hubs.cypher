// The best connected things and the facts between them. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo'. Columns: path (one fact).
MATCH (k:Corpus {name: 'demo'})
MATCH (e:Entity)
WHERE k.code < e.key < k.code + '~' AND e.kind = 'entity'
WITH e ORDER BY e.degree DESC, e.key LIMIT 40
WITH collect(e) AS hubs
UNWIND hubs AS hub
MATCH path = (hub)-[:FACT]->(other)
WHERE other IN hubs
RETURN path
LIMIT 200
