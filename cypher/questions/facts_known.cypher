// Which of these facts are still stated, in which groups, and where.
// Parameters: $keys (fact keys). Columns: key, sr, ro, chunks, sentences.
UNWIND $keys AS key
MATCH ()-[f:FACT {key: key}]->()
RETURN f.key AS key, f.sr AS sr, f.ro AS ro, f.chunks AS chunks, f.sentences AS sentences
