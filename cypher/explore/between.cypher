// How two things hang together: the shortest ways between them, of six facts at most. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo' and your things for the two names. Columns: path.
MATCH (k:Corpus {name: 'demo'})
MATCH (a:Entity)
WHERE a.key > k.code AND a.key < k.code + '~' AND a.label = 'Port Ambrel'
MATCH (b:Entity)
WHERE b.key > k.code AND b.key < k.code + '~' AND b.label = 'Velmora'
MATCH path = allShortestPaths((a)-[:FACT*..6]-(b))
RETURN path
LIMIT 10
