// Sets the statements of facts: chunks[i] states the fact in sentences[i].
// Parameters: $rows ({key, chunks, sentences}). Columns: none.
UNWIND $rows AS row
MATCH ()-[f:FACT {key: row.key}]->()
SET f.chunks = row.chunks, f.sentences = row.sentences
