// What these passages mention and state: the part of the graph around each. Numbers and dates lead nowhere.
// Parameters: $chunks (chunk keys). Columns: chunk, title, text,
//   mentions ({form, label, surface, passages: how many passages mention a name of this form}),
//   facts ({subject, object: keys of forms, said: the words of this passage}).
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})
RETURN c.key AS chunk, c.title AS title, c.text AS text,
       COLLECT {
         MATCH (c)-[m:MENTIONS]->(e:Entity {kind: 'entity'})
         WITH m, e ORDER BY m.start, e.key
         RETURN {form: e.form, label: e.label, surface: m.surface, passages: reduce(n = 0, each IN COLLECT {
           MATCH (o:Entity {form: e.form}) RETURN COUNT { (o)<-[:MENTIONS]-() }
         } | n + each)}
       } AS mentions,
       COLLECT {
         UNWIND c.fact_keys AS fact_key
         MATCH (s:Entity)-[f:FACT {key: fact_key}]->(o:Entity)
         WITH s, f, o ORDER BY f.key
         UNWIND [i IN range(0, size(f.chunks) - 1) WHERE f.chunks[i] = key | coalesce(f.said[i], f.label)] AS said
         RETURN DISTINCT {subject: s.form, said: said, object: o.form}
       } AS facts
ORDER BY chunk
