// Sets the statements of facts: chunks[i] states the fact in sentences[i], a table's row, at cells[i].
// cells is null where no table states the fact; "" of the others.
// Parameters: $rows ({key, novel, chunks, sentences, cells}). Columns: none.
UNWIND $rows AS row
MATCH ()-[f:FACT {key: row.key}]->()
SET f.novel = coalesce(row.novel, f.novel), f.chunks = row.chunks, f.sentences = row.sentences, f.cells = row.cells
