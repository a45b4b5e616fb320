// The chunks that state facts of relations: all of them, or (own false) those that were written otherwise.
// Parameters: $rows ({relation, own, code: the corpus's code, until: code + '~'}). Columns: chunk.
UNWIND $rows AS row
MATCH ()-[f:FACT]->()
WHERE f.relation = row.relation AND row.code < f.sr < row.until AND (row.own OR f.written IS NOT NULL)
UNWIND f.chunks AS chunk
RETURN DISTINCT chunk
