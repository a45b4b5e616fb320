// Counts the facts of each entity, as subject and as object (a self-loop counts twice).
// Parameters: $entities (keys). Columns: none.
UNWIND $entities AS key
MATCH (e:Entity {key: key})
SET e.degree = COUNT { (e)-[:FACT]->() } + COUNT { (e)<-[:FACT]-() }
