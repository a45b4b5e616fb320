// Deletes documents whose chunks are gone already.
// Parameters: $keys (document keys). Columns: none.
UNWIND $keys AS key
MATCH (d:Document {key: key})
DETACH DELETE d
