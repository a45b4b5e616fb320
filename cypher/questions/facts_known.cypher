// Which of these facts are still stated, in which groups, and where.
// Parameters: $keys (fact keys). Columns: key, sr, ro, types (of subject and object), chunks, sentences.
UNWIND $keys AS key
MATCH (s)-[f:FACT {key: key}]->(o)
RETURN f.key AS key, f.sr AS sr, f.ro AS ro, [s.type, o.type] AS types, f.chunks AS chunks, f.sentences AS sentences
