// Finds the facts of one (relation, object), and walks a corpus's facts in order of that group.
// Parameters: none. Columns: none.
CREATE INDEX fact_ro IF NOT EXISTS FOR ()-[f:FACT]-() ON (f.ro)
