// Counts the distinct objects of every (subject, relation), over the whole graph.
// Parameters: none. Columns: none.
MATCH (s:Entity)-[f:FACT]->(o:Entity)
WITH s, f.relation AS relation, collect(f) AS facts, count(DISTINCT o) AS objects
UNWIND facts AS f
SET f.objects = objects
