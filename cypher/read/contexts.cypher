// The facts of entities with few of them, to compare what is said of two names.
// Parameters: $rows ({name: id, key: key of the entity that it is now}), $limit (200: the highest degree).
// Columns: name, leaves (the entity is the subject), relation, subject, object (labels), written.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key}) WHERE e.degree <= $limit
MATCH (e)-[f:FACT]-()
WITH DISTINCT row, e, f
RETURN row.name AS name, startNode(f) = e AS leaves, f.relation AS relation, startNode(f).label AS subject,
       endNode(f).label AS object, coalesce(f.written, ['']) AS written
