// Counts the facts of each entity, as subject and as object (a self-loop counts twice).
// Parameters: $entities (keys). Columns: more (entities that have facts now and had none, less those that have lost all).
UNWIND $entities AS key
MATCH (e:Entity {key: key})
WITH e, e.degree > 0 AS had, COUNT { (e)-[:FACT]->() } + COUNT { (e)<-[:FACT]-() } AS degree
SET e.degree = degree
RETURN sum(CASE WHEN had = (degree > 0) THEN 0 WHEN had THEN -1 ELSE 1 END) AS more
