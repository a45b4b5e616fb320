// The keys of the facts of some groups, a few of each group.
// Parameters: $objects (keys sr of groups of one subject), $subjects (keys ro of groups of one object), $limit (10, of each).
//   Columns: group, key.
CALL () {
  UNWIND $objects AS group
  CALL (group) {
    MATCH ()-[f:FACT {sr: group}]->() USING INDEX SEEK f:FACT(sr)
    RETURN f.key AS key ORDER BY key LIMIT $limit
  }
  RETURN group, key
  UNION ALL
  UNWIND $subjects AS group
  CALL (group) {
    MATCH ()-[f:FACT {ro: group}]->() USING INDEX SEEK f:FACT(ro)
    RETURN f.key AS key ORDER BY key LIMIT $limit
  }
  RETURN group, key
}
RETURN group, key ORDER BY group, key
