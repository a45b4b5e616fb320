// Stores the rivals of questions without the words of documents that are forgotten.
// Parameters: $rows ({key, rivals: JSON}). Columns: none.
UNWIND $rows AS row
MATCH (q:Question {key: row.key})
SET q.rivals = row.rivals
