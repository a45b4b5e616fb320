// Sets the statements of facts: chunks[i] states the fact in sentences[i], a table's row, at cells[i].
// cells is null where no table states the fact, "" of the others; so is written where the source writes it as it reads.
// Parameters: $rows ({key, novel, chunks, sentences, cells, written}). Columns: none.
UNWIND $rows AS row
MATCH ()-[f:FACT {key: row.key}]->()
SET f.novel = coalesce(row.novel, f.novel), f.chunks = row.chunks, f.sentences = row.sentences, f.cells = row.cells,
    f.written = row.written
