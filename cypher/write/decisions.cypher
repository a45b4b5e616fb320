// What is decided about these names; a name that stands for itself has no row.
// Parameters: $keys (decision keys). Columns: key, target (the decision key of `into`), into (id, or relation), label.
UNWIND $keys AS key
MATCH (d:Decision {key: key})
WHERE d.state = 'merged'
RETURN d.key AS key, d.target AS target, d.into AS into, d.label AS label
