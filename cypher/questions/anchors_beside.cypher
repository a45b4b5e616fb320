// The groups that lead to these bridges. At a hub only groups that lead elsewhere too: a listed subgraph needs a small
// bridge, so a group that leads to the hub alone has none.
// Parameters: $bridges ({key, hub: true where its degree is and was above the limit}).
// Columns: bridge (key), side ('sr': facts that enter the bridge; 'ro': facts that leave it), anchor (group key).
UNWIND $bridges AS bridge
MATCH (b:Entity {key: bridge.key})
CALL (b, bridge) {
  MATCH (b)<-[f:FACT]-()
  WHERE NOT bridge.hub OR f.objects > 1
  RETURN 'sr' AS side, f.sr AS anchor
  UNION
  MATCH (b)-[f:FACT]->()
  WHERE NOT bridge.hub OR f.subjects > 1
  RETURN 'ro' AS side, f.ro AS anchor
}
RETURN DISTINCT bridge.key AS bridge, side, anchor
