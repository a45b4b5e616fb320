// Changes the state of questions and says why.
// Parameters: $rows ({key, state, reason, cause}). Columns: none.
UNWIND $rows AS row
MATCH (q:Question {key: row.key})
SET q.state = row.state, q.reason = row.reason, q.cause = row.cause
