// The active questions of several facts or of a set that use one of these facts: each is linked to what states its facts.
// Those that test what a system does where nothing, something else, or two things are stated use none.
// Parameters: $facts (fact keys). Columns: fact, key.
UNWIND $facts AS fact
MATCH ()-[f:FACT {key: fact}]->()
UNWIND f.chunks AS stating
MATCH (:Chunk {key: stating})<-[:USES]-(q:Question)
WHERE q.state = 'active' AND NOT q.pattern IN ['single', 'unanswerable', 'false_premise', 'conflict'] AND fact IN q.fact_keys
RETURN DISTINCT fact, q.key AS key
