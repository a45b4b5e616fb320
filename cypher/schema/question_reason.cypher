// Finds a corpus's questions of one reason without reading the others.
// Parameters: none. Columns: none.
CREATE INDEX question_reason IF NOT EXISTS FOR (q:Question) ON (q.reason, q.key)
