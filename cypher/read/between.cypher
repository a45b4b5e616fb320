// The facts between some things, those of one direction between two of them in one row.
// Parameters: $keys (entity keys), $limit (6000 rows). Columns: subject, object (keys), relations (three at most), facts.
UNWIND $keys AS key
MATCH (s:Entity {key: key})-[f:FACT]->(o:Entity)
WHERE o.key IN $keys AND o <> s
RETURN s.key AS subject, o.key AS object, collect(DISTINCT f.label)[..3] AS relations, count(*) AS facts
ORDER BY facts DESC, subject, object LIMIT $limit
