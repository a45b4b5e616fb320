// The types and second labels of entities, how many passages give them which class, and the relations whose subject and
// whose object they are: of 50 facts a side, the first by the keys of their groups, so that a hub costs no more and the
// answer is the same for the same graph.
// Parameters: $keys (entity keys). Columns: key, kind, type, label (null for none), classes, passages (of each, empty for none),
//   from, to (ids of relations).
UNWIND $keys AS key
MATCH (e:Entity {key: key})
WHERE e.kind = 'entity' OR e.type IS NOT NULL OR e.classes IS NOT NULL
CALL (key) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(sr)
  WHERE f.sr > key AND f.sr < key + '~'
  WITH f ORDER BY f.sr LIMIT 50
  RETURN collect(f.relation) AS outgoing
}
CALL (key) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(ro)
  WHERE f.ro > key AND f.ro < key + '~'
  WITH f ORDER BY f.ro LIMIT 50
  RETURN collect(f.relation) AS incoming
}
RETURN key, e.kind AS kind, e.type AS type, head([one IN labels(e) WHERE one <> 'Entity']) AS label,
       coalesce(e.classes, []) AS classes, coalesce(e.class_passages, []) AS passages, outgoing AS `from`, incoming AS `to`
