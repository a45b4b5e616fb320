// What chunks state and mention, with what was written where decisions have replaced it.
// Parameters: $chunks (chunk keys). Columns: chunk, statements ({key, subject, relation, label, period, object, sentence,
//   cell, said, written, confidence, novel}), mentions ({entity, surface, start, end, type, names, places}).
UNWIND $chunks AS key
MATCH (c:Chunk {key: key})
RETURN c.key AS chunk,
       COLLECT {
         UNWIND c.fact_keys AS fact_key
         MATCH (s:Entity)-[f:FACT {key: fact_key}]->(o:Entity)
         UNWIND range(0, size(f.chunks) - 1) AS i
         WITH s, f, o, i WHERE f.chunks[i] = key
         RETURN {
           key: f.key, relation: f.relation, label: f.label, period: coalesce(f.period, ''),
           sentence: f.sentences[i], said: coalesce(f.said[i], f.label), cell: coalesce(f.cells[i], ''),
           written: coalesce(f.written[i], ''), confidence: coalesce(f.confidence[i], 1.0), novel: f.novel,
           subject: s {.id, .label, .kind, .value, .unit, .description, aliases: coalesce(s.aliases, [])},
           object: o {.id, .label, .kind, .value, .unit, .description, aliases: coalesce(o.aliases, [])}
         }
       } AS statements,
       COLLECT {
         MATCH (c)-[m:MENTIONS]->(e:Entity)
         RETURN m {.surface, .start, .end, .type, .names, .places,
           entity: e {.id, .label, .kind, .value, .unit, .description, aliases: coalesce(e.aliases, [])}}
       } AS mentions
ORDER BY chunk
