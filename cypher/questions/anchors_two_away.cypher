// The groups of one member that lead to these second bridges of a chain of three, by a first bridge that is no hub and
// leads there alone.
// Parameters: $bridges (keys), $max_pivot_degree (20), $changed ({entity key: number of changed facts there}),
//   $side ('sr': last asked; 'ro': first asked).
// Columns: anchor (group key).
UNWIND $bridges AS bridge
MATCH (c:Entity {key: bridge})
CALL (c) {
  WITH c WHERE $side = 'sr'
  MATCH (c)<-[g:FACT]-(b:Entity)<-[f:FACT]-()
  WHERE g.objects = 1 AND f.objects = 1 AND b.degree - coalesce($changed[b.key], 0) <= $max_pivot_degree
  RETURN f.sr AS anchor
  UNION
  WITH c WHERE $side = 'ro'
  MATCH (c)-[g:FACT]->(b:Entity)-[f:FACT]->()
  WHERE g.subjects = 1 AND f.subjects = 1 AND b.degree - coalesce($changed[b.key], 0) <= $max_pivot_degree
  RETURN f.ro AS anchor
}
RETURN DISTINCT anchor
