// The facts of those changed groups that may have had one member, or may have one now, beside what changed.
// Parameters: $subjects ({key: sr, changed: number of changed facts in the group}), $objects ({key: ro, changed}).
// Columns: side ('sr' or 'ro'), sr, ro, key.
UNWIND $subjects AS group
CALL (group) {
  MATCH ()-[f:FACT {sr: group.key}]->() USING INDEX SEEK f:FACT(sr)
  RETURN f.objects AS members LIMIT 1
}
WITH group WHERE members <= group.changed + 1
MATCH ()-[f:FACT {sr: group.key}]->() USING INDEX SEEK f:FACT(sr)
RETURN 'sr' AS side, f.sr AS sr, f.ro AS ro, f.key AS key
UNION ALL
UNWIND $objects AS group
CALL (group) {
  MATCH ()-[f:FACT {ro: group.key}]->() USING INDEX SEEK f:FACT(ro)
  RETURN f.subjects AS members LIMIT 1
}
WITH group WHERE members <= group.changed + 1
MATCH ()-[f:FACT {ro: group.key}]->() USING INDEX SEEK f:FACT(ro)
RETURN 'ro' AS side, f.sr AS sr, f.ro AS ro, f.key AS key
