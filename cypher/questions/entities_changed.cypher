// The degrees of entities whose facts have changed.
// Parameters: $entities (keys). Columns: key, degree.
UNWIND $entities AS key
MATCH (e:Entity {key: key})
RETURN e.key AS key, e.degree AS degree
