// Which of these facts are still stated, and where.
// Parameters: $keys (fact keys). Columns: key, chunks, sentences.
UNWIND $keys AS key
MATCH ()-[f:FACT {key: key}]->()
RETURN f.key AS key, f.chunks AS chunks, f.sentences AS sentences
