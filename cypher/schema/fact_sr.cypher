// Finds the facts of one (subject, relation), and walks a corpus's facts in order of that group.
// Parameters: none. Columns: none.
CREATE INDEX fact_sr IF NOT EXISTS FOR ()-[f:FACT]-() ON (f.sr)
