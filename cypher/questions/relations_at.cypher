// The codes of the relations of the facts that leave and enter these entities: the last eight characters of group keys.
// Parameters: $entities (keys). Columns: key, leaves, enters.
UNWIND $entities AS key
MATCH (e:Entity {key: key})
RETURN e.key AS key, COLLECT { MATCH (e)-[f:FACT]->() RETURN DISTINCT right(f.sr, 8) } AS leaves,
       COLLECT { MATCH (e)<-[f:FACT]-() RETURN DISTINCT right(f.ro, 8) } AS enters
