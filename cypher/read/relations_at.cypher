// The relations of which some things are the subject, and those of which they are the object, from 50 facts a side.
// Parameters: $keys (entity keys). Columns: key, from, to (ids of relations).
UNWIND $keys AS key
CALL (key) {
  MATCH (:Entity {key: key})-[f:FACT]->()
  WITH f LIMIT 50
  RETURN collect(f.relation) AS outgoing
}
CALL (key) {
  MATCH (:Entity {key: key})<-[f:FACT]-()
  WITH f LIMIT 50
  RETURN collect(f.relation) AS incoming
}
RETURN key, outgoing AS `from`, incoming AS `to`
