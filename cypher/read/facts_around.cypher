// The keys of the facts of an entity, in order of key, a page at a time.
// Parameters: $key (entity key), $subject and $object (entity key that this end must have, null for any), $relation (label
//   or id, null for any), $after ('' to start), $limit (20). Columns: key.
MATCH (:Entity {key: $key})-[f:FACT]-(:Entity)
WITH DISTINCT f, startNode(f) AS s, endNode(f) AS o
WHERE f.key > $after
  AND ($subject IS NULL OR s.key = $subject)
  AND ($object IS NULL OR o.key = $object)
  AND ($relation IS NULL OR f.label = $relation OR f.relation = $relation)
RETURN f.key AS key ORDER BY key LIMIT $limit
