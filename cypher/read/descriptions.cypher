// What passages say that options, settings, functions and programs do or are.
// Parameters: $keys (chunk keys), $relation (id). Columns: chunk, sentence, thing, type (of the thing), does.
UNWIND $keys AS key
MATCH (c:Chunk {key: key})
UNWIND c.fact_keys AS fact_key
MATCH (s:Entity)-[f:FACT {key: fact_key, relation: $relation}]->(o:Entity)
UNWIND [i IN range(0, size(f.chunks) - 1) WHERE f.chunks[i] = key | f.sentences[i]] AS sentence
RETURN DISTINCT key AS chunk, sentence, s.label AS thing, s.type AS type, o.label AS does, f.key AS fact
ORDER BY fact, chunk, sentence
