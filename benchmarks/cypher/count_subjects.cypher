// Counts the distinct subjects of every (relation, object), over the whole graph.
// Parameters: none. Columns: none.
MATCH (s:Entity)-[f:FACT]->(o:Entity)
WITH o, f.relation AS relation, collect(f) AS facts, count(DISTINCT s) AS subjects
UNWIND facts AS f
SET f.subjects = subjects
