// Which of these facts are still stated, in which groups, and where. All come in one row, which a client reads faster.
// Parameters: $keys (fact keys). Columns: facts ([key, sr, ro, type of subject, of object, chunks, sentences,
//   confidence of the surest statement]).
UNWIND $keys AS key
MATCH (s)-[f:FACT {key: key}]->(o)
RETURN collect([f.key, f.sr, f.ro, s.type, o.type, f.chunks, f.sentences,
  coalesce(reduce(most = 0.0, one IN f.confidence | CASE WHEN one > most THEN one ELSE most END), 1.0)]) AS facts
