// The groups that lead to these bridges; to a hub only those that lead elsewhere too.
// Parameters: $bridges ({key, hub: true where its degree is and was above the limit}).
// Columns: bridge (key), side ('sr': facts that enter the bridge; 'ro': facts that leave it), anchor (group key),
//   members (of the group).
UNWIND $bridges AS bridge
MATCH (b:Entity {key: bridge.key})
CALL (b, bridge) {
  MATCH (b)<-[f:FACT]-()
  WHERE NOT bridge.hub OR f.objects > 1
  RETURN 'sr' AS side, f.sr AS anchor, f.objects AS members
  UNION
  MATCH (b)-[f:FACT]->()
  WHERE NOT bridge.hub OR f.subjects > 1
  RETURN 'ro' AS side, f.ro AS anchor, f.subjects AS members
}
RETURN DISTINCT bridge.key AS bridge, side, anchor, members
