// Which of these facts are still stated.
// Parameters: $keys (fact keys). Columns: key.
UNWIND $keys AS key
MATCH ()-[f:FACT {key: key}]->()
RETURN f.key AS key
