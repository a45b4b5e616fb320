// The groups that lead to these bridges.
// Parameters: $bridges (keys of entities).
// Columns: bridge (key), side ('sr': facts that enter the bridge; 'ro': facts that leave it), anchor (group key),
//   members (of the group).
UNWIND $bridges AS bridge
MATCH (b:Entity {key: bridge})
CALL (b) {
  MATCH (b)<-[f:FACT]-()
  RETURN 'sr' AS side, f.sr AS anchor, f.objects AS members
  UNION
  MATCH (b)-[f:FACT]->()
  RETURN 'ro' AS side, f.ro AS anchor, f.subjects AS members
}
RETURN DISTINCT bridge, side, anchor, members
