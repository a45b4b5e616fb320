// Which of these facts are there already, and what states them: they get their new statements by write/statements.
// Parameters: $keys (fact keys). Columns: key, chunks, sentences, said, cells, written, confidence.
UNWIND $keys AS key
MATCH ()-[f:FACT {key: key}]->()
RETURN f.key AS key, f.chunks AS chunks, f.sentences AS sentences, coalesce(f.said, [chunk IN f.chunks | f.label]) AS said,
       coalesce(f.cells, [chunk IN f.chunks | '']) AS cells,
       coalesce(f.written, [chunk IN f.chunks | '']) AS written,
       coalesce(f.confidence, [chunk IN f.chunks | 1.0]) AS confidence
