// Sets the statements of facts: chunks[i] states the fact in sentences[i] by the words said[i], a table's row, at cells[i].
// cells is null where no table states the fact, "" of the others; so is written where the source writes it as it reads.
// confidence[i] is how likely the statement is right, 1 if nobody judged it; null if all are 1.
// Parameters: $rows ({key, novel, chunks, sentences, said, cells, written, confidence}). Columns: none.
UNWIND $rows AS row
MATCH ()-[f:FACT {key: row.key}]->()
SET f.novel = coalesce(row.novel, f.novel), f.chunks = row.chunks, f.sentences = row.sentences, f.said = row.said,
    f.cells = row.cells, f.written = row.written, f.confidence = row.confidence
