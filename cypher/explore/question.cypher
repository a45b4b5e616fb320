// A question of several facts as a path: what it names, what it asks for, and the passages that state it. Shows as a graph
// in Neo4j Browser.
// Parameters: none; put your corpus for 'demo'. Columns: question, use, used (a passage or a thing), subject, fact, object
// (a fact once for each use).
MATCH (k:Corpus {name: 'demo'})
MATCH (q:Question)
WHERE q.key > k.code AND q.key < k.code + '~' AND q.state = 'active' AND size(q.fact_keys) > 1
WITH q ORDER BY q.key LIMIT 1
MATCH (q)-[u:USES]->(used)
OPTIONAL MATCH (a:Entity)-[f:FACT]->(b:Entity)
WHERE f.key IN q.fact_keys
RETURN q AS question, u AS use, used, a AS subject, f AS fact, b AS object
