// Counts a corpus's questions of one state without reading them.
// Parameters: none. Columns: none.
CREATE INDEX question_state IF NOT EXISTS FOR (q:Question) ON (q.state, q.key)
