// Finds the sources that have more questions than a number.
// Parameters: none. Columns: none.
CREATE INDEX question_source_full IF NOT EXISTS FOR (s:QuestionSource) ON (s.kind, s.passed)
