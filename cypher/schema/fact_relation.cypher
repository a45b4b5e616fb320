// Walks the facts of one relation in order of their subjects, which comparison needs.
// Parameters: none. Columns: none.
CREATE INDEX fact_relation IF NOT EXISTS FOR ()-[f:FACT]-() ON (f.relation, f.sr)
