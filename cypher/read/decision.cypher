// What is decided about names, splits too.
// Parameters: $keys (decision keys). Columns: decision.
UNWIND $keys AS key
MATCH (d:Decision {key: key})
RETURN d {.*} AS decision
