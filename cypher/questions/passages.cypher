// What these passages say, mention and state.
// Parameters: $chunks (chunk keys). Columns: chunk, title, text, readings (JSON, null where none are kept),
//   mentions ({label, type, surface, places: null or JSON of [surface, start, end, class] each}),
//   stated ({subject, relation, object: labels and the relation's id, sentence}).
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})
RETURN c.key AS chunk, c.title AS title, c.text AS text, c.readings AS readings,
       COLLECT {
         MATCH (c)-[m:MENTIONS]->(e:Entity)
         WITH m, e ORDER BY e.label, e.type
         RETURN {label: e.label, type: e.type, surface: m.surface, places: m.places}
       } AS mentions,
       COLLECT {
         UNWIND c.fact_keys AS fact_key
         MATCH (s:Entity)-[f:FACT {key: fact_key}]->(o:Entity)
         WITH s, f, o ORDER BY f.key
         UNWIND [i IN range(0, size(f.chunks) - 1) WHERE f.chunks[i] = key | f.sentences[i]] AS sentence
         RETURN {subject: s.label, relation: f.relation, object: o.label, sentence: sentence}
       } AS stated
