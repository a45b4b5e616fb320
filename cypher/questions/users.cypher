// The active questions that use these facts; a question is linked to every chunk that states one of its facts.
// Parameters: $facts (fact keys). Columns: fact, key, pattern, asked, beside.
UNWIND $facts AS fact
MATCH ()-[f:FACT {key: fact}]->()
MATCH (c:Chunk {key: f.chunks[0]})<-[:USES]-(q:Question)
WHERE q.state = 'active' AND fact IN q.fact_keys
RETURN DISTINCT fact, q.key AS key, q.pattern AS pattern, q.asked AS asked, q.beside AS beside
