// Stores how many questions of a source pass, and from which rank on they are over its bound; a source of none goes.
// Parameters: $sources ({key, kind, passed, full_from}). Columns: none.
UNWIND $sources AS row
MERGE (s:QuestionSource {key: row.key})
SET s = row
WITH s
WHERE s.passed = 0
DELETE s
