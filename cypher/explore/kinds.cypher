// Which kinds of things are joined by which relations: two cities, people, companies … of a fact each. Shows as a graph in
// Neo4j Browser, in the colours of the second labels.
// Parameters: none; put your corpus for 'demo'. Columns: path (one fact).
MATCH (k:Corpus {name: 'demo'})
MATCH path = (s:Entity)-[f:FACT]->(o:Entity)
WHERE f.sr > k.code AND f.sr < k.code + '~' AND size(labels(s)) > 1 AND size(labels(o)) > 1
WITH labels(s) AS of, f.relation AS relation, labels(o) AS to, collect(path)[0] AS path
RETURN path
LIMIT 80
