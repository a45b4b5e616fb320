// What is said about a thing: its facts, in and out. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo' and your thing for 'Port Ambrel'. Columns: path (one fact).
MATCH (k:Corpus {name: 'demo'})
MATCH (e:Entity)
WHERE e.key > k.code AND e.key < k.code + '~' AND e.label = 'Port Ambrel'
MATCH path = (e)-[:FACT]-(:Entity)
RETURN path
LIMIT 60
