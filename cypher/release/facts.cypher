// Facts of a corpus with their ends and statements, in order of key, a page at a time.
// Parameters: $after ($code to start), $until ($code + '~'), $limit (500). Columns: key, subject and object (keys), relation (id),
//   label, period, novel, chunks, sentences, cells, confidence.
MATCH (s:Entity)-[f:FACT]->(o:Entity)
WHERE f.key > $after AND f.key < $until
RETURN f.key AS key, s.key AS subject, o.key AS object, f.relation AS relation, f.label AS label, f.period AS period,
       f.novel AS novel, f.chunks AS chunks, f.sentences AS sentences, f.cells AS cells,
       f.confidence AS confidence
ORDER BY key LIMIT $limit
