// The groups that lead to these second bridges of a chain of three, by a first bridge in between. A subgraph that is
// listed has small bridges: where one of the two is a hub, a group on the way must lead to another entity too.
// Parameters: $bridges ({key, hub: true where its degree is and was above the limit}), $max_pivot_degree (20),
//   $changed ({entity key: number of changed facts there}), $side ('sr': last asked; 'ro': first asked).
// Columns: anchor (group key).
UNWIND $bridges AS bridge
MATCH (c:Entity {key: bridge.key})
CALL (c, bridge) {
  WITH c, bridge WHERE $side = 'sr'
  MATCH (c)<-[g:FACT]-(b:Entity)
  WITH bridge, g, b, b.degree - coalesce($changed[b.key], 0) > $max_pivot_degree AS hub
  MATCH (b)<-[f:FACT]-()
  WHERE f.objects > 1 OR (NOT hub AND (NOT bridge.hub OR g.objects > 1))
  RETURN f.sr AS anchor
  UNION
  WITH c, bridge WHERE $side = 'ro'
  MATCH (c)-[g:FACT]->(b:Entity)
  WITH bridge, g, b, b.degree - coalesce($changed[b.key], 0) > $max_pivot_degree AS hub
  MATCH (b)-[f:FACT]->()
  WHERE f.subjects > 1 OR (NOT hub AND (NOT bridge.hub OR g.subjects > 1))
  RETURN f.ro AS anchor
}
RETURN DISTINCT anchor
