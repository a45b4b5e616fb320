// How some sources of questions are filled.
// Parameters: $keys (code + ' ' + pattern + ' ' + source). Columns: key, passed, full_from.
UNWIND $keys AS key
MATCH (s:QuestionSource {key: key})
RETURN s.key AS key, s.passed AS passed, s.full_from AS full_from
