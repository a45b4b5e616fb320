// Forgets whether facts are novel, of those that only decisions still make of what is stated: no index was asked of them.
// Parameters: $keys (fact keys). Columns: none.
UNWIND $keys AS key
MATCH ()-[f:FACT {key: key}]->()
SET f.novel = null
