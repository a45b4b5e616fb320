// The best connected neighbours of each of some things.
// Parameters: $keys (entity keys), $beside (20, for each). Columns: hub (its key), key, label, type, degree.
UNWIND $keys AS hub
CALL (hub) {
  MATCH (:Entity {key: hub})-[:FACT]-(o:Entity)
  WHERE o.kind = 'entity'
  RETURN DISTINCT o ORDER BY o.degree DESC, o.key LIMIT $beside
}
RETURN hub, o.key AS key, o.label AS label, o.type AS type, o.degree AS degree
