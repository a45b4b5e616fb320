// The members of groups: the other ends of their facts.
// Parameters: $objects (sr of groups whose members are objects), $subjects (ro of groups whose members are subjects).
// Columns: group (key), members (labels).
UNWIND $objects AS group
MATCH ()-[f:FACT {sr: group}]->(o:Entity) USING INDEX SEEK f:FACT(sr)
WITH group, o.label AS label ORDER BY label
RETURN group, collect(label) AS members
UNION ALL
UNWIND $subjects AS group
MATCH (s:Entity)-[f:FACT {ro: group}]->() USING INDEX SEEK f:FACT(ro)
WITH group, s.label AS label ORDER BY label
RETURN group, collect(label) AS members
