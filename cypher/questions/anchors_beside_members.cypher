// The groups that lead to a member of these groups: what else is said of those of whom this is said. Members whose degree
// is above the limit are no bridges and lead nowhere.
// Parameters: $groups (group keys), $side ('sr': members are objects; 'ro': members are subjects), $max_pivot_degree (20).
// Columns: anchor (group key of that side).
UNWIND $groups AS group
CALL (group) {
  WITH group WHERE $side = 'sr'
  MATCH ()-[:FACT {sr: group}]->(b:Entity)
  WHERE b.degree <= $max_pivot_degree
  MATCH (b)<-[f:FACT]-()
  RETURN f.sr AS anchor
  UNION
  WITH group WHERE $side = 'ro'
  MATCH (b:Entity)-[:FACT {ro: group}]->()
  WHERE b.degree <= $max_pivot_degree
  MATCH (b)-[f:FACT]->()
  RETURN f.ro AS anchor
}
RETURN DISTINCT anchor
