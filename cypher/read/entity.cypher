// One entity with some of its facts, outgoing first, each with its statements.
// Parameters: $key (entity key), $limit (100). Columns: entity, facts.
MATCH (e:Entity {key: $key})
RETURN e {.*} AS entity,
       COLLECT {
         MATCH (e)-[f:FACT]-(other:Entity)
         WITH DISTINCT f, startNode(f) AS s, endNode(f) AS o
         RETURN f {.key, .relation, .label, .period, .objects, .subjects, .chunks, .sentences, .cells, .confidence,
                  subject: s.label, object: o.label, subject_key: s.key, object_key: o.key}
         ORDER BY s.key <> $key, f.key LIMIT $limit
       } AS facts
