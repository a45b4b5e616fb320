// Counts the facts of every entity, over the whole graph.
// Parameters: none. Columns: none.
MATCH (e:Entity)
SET e.degree = COUNT { (e)-[:FACT]->() } + COUNT { (e)<-[:FACT]-() }
