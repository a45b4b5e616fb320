// The groups that lead to a member of these groups: what else is said of those of whom this is said. Members whose degree
// is above the limit are no bridges and lead nowhere.
// Parameters: $groups (group keys), $of ('sr': the groups' members are objects; 'ro': they are subjects), $side ('sr':
//   facts that enter a member; 'ro': facts that leave it), $max_pivot_degree (20).
// Columns: group (key), anchor (group key), members (of the anchor).
UNWIND $groups AS group
CALL (group) {
  WITH group WHERE $of = 'sr'
  MATCH ()-[of:FACT {sr: group}]->(b:Entity) USING INDEX SEEK of:FACT(sr)
  RETURN b
  UNION
  WITH group WHERE $of = 'ro'
  MATCH (b:Entity)-[of:FACT {ro: group}]->() USING INDEX SEEK of:FACT(ro)
  RETURN b
}
WITH group, b
WHERE b.degree <= $max_pivot_degree
CALL (b) {
  WITH b WHERE $side = 'sr'
  MATCH (b)<-[f:FACT]-()
  RETURN f.sr AS anchor, f.objects AS members
  UNION
  WITH b WHERE $side = 'ro'
  MATCH (b)-[f:FACT]->()
  RETURN f.ro AS anchor, f.subjects AS members
}
RETURN DISTINCT group, anchor, members
