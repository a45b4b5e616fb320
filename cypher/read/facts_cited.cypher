// Facts with their ends, groups and statements.
// Parameters: $keys (fact keys). Columns: key, subject, relation (id), label, object, period, objects, subjects, sr, ro, chunks,
//   sentences, cells, confidence.
UNWIND $keys AS key
MATCH (s:Entity)-[f:FACT {key: key}]->(o:Entity)
RETURN f.key AS key, s.label AS subject, f.relation AS relation, f.label AS label, o.label AS object, f.period AS period,
       f.objects AS objects, f.subjects AS subjects, f.sr AS sr, f.ro AS ro, f.chunks AS chunks,
       f.sentences AS sentences, f.cells AS cells, f.confidence AS confidence
