// The sources that have more questions than a number.
// Parameters: $kinds ([{kind: code + ' ' + pattern + ' ' + letter, least: 20}]). Columns: key, passed, full_from.
UNWIND $kinds AS one
WITH one.kind AS kind, one.least AS least
MATCH (s:QuestionSource)
WHERE s.kind = kind AND s.passed > least
RETURN s.key AS key, s.passed AS passed, s.full_from AS full_from
