// The classes of entities that have one.
// Parameters: $keys (entity keys). Columns: id, type.
UNWIND $keys AS key
MATCH (e:Entity {key: key})
WHERE e.type IS NOT NULL
RETURN e.id AS id, e.type AS type
