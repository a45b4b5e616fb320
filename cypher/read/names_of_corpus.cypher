// The names of a corpus in order of key, those that stand for another after those that do not: a page at a time.
// Parameters: $after, $until (keys), $limit (2000). Columns: key, name (id).
CALL () {
  MATCH (e:Entity) WHERE $after < e.key < $until AND e.kind = 'entity' AND e.id STARTS WITH 'local:'
  RETURN e.key AS key, e.id AS name ORDER BY key LIMIT $limit
  UNION
  MATCH (d:Decision) WHERE $after < d.key < $until AND d.kind = 'entity'
  RETURN d.key AS key, d.name AS name ORDER BY key LIMIT $limit
}
RETURN key, name ORDER BY key LIMIT $limit
