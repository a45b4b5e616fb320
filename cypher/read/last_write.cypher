// When a corpus was last written: a copy of the database with the same moment holds the same texts, facts and vectors.
// Parameters: $code (the corpus's code). Columns: last_write.
MATCH (c:Corpus {code: $code})
RETURN c.last_write AS last_write
