// How many chains, stars or inverted stars have one answer: the rows of their statements, counted at their bridges b. Each
// fact of a bridge is read once: [fact, other end, relation, whether b is definite from there, whether that is from b,
// chunks]. A chain is asked two ways: from its first end to its last, and back.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], pattern: 'chain', asked: null}: keys of b; pattern:
//   'chain', 'star', 'inverted_star'; asked: null, 'first', 'last'), $max_pivot_degree (20), $cross_chunk (true: no chunk states both facts),
//   $cross_document (false), $relation (null), $type (null), $since and $until (null, or two dates), $novel (false)
// Columns: n (rows).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
MATCH (b:Entity)
WHERE from < b.key < until AND 2 <= b.degree <= $max_pivot_degree
WITH b, CASE WHEN $walk.pattern = 'star' THEN [] ELSE COLLECT {
  MATCH (b)<-[f:FACT]-(a)
  WHERE (f.objects = 1 OR f.subjects = 1) AND a <> b AND NOT f.relation STARTS WITH 'open:'
  RETURN [f, a, f.relation, f.objects = 1, f.subjects = 1, f.chunks]
} END AS into
WITH b, into, CASE WHEN $walk.pattern = 'inverted_star' OR $walk.pattern = 'chain' AND size(into) = 0 THEN [] ELSE COLLECT {
  MATCH (b)-[g:FACT]->(c)
  WHERE (g.objects = 1 OR g.subjects = 1) AND c <> b AND NOT g.relation STARTS WITH 'open:'
  RETURN [g, c, g.relation, g.subjects = 1, g.objects = 1, g.chunks]
} END AS out
UNWIND CASE $walk.pattern WHEN 'chain' THEN ['last', 'first'] ELSE ['last'] END AS way
WITH b, way, [f IN CASE $walk.pattern WHEN 'star' THEN out ELSE into END WHERE f[CASE way WHEN 'last' THEN 3 ELSE 4 END]] AS near,
  [g IN CASE $walk.pattern WHEN 'inverted_star' THEN into ELSE out END WHERE g[CASE way WHEN 'last' THEN 4 ELSE 3 END]] AS far
RETURN sum(reduce(rows = 0, f IN near | rows + size([g IN far WHERE f[2] <> g[2] AND f[1] <> g[1]
  AND ($walk.asked IS NULL OR $walk.asked = CASE WHEN $walk.pattern = 'chain' THEN way WHEN f[2] < g[2] THEN 'last' ELSE 'first' END)
  AND (NOT $cross_chunk OR NONE(k IN f[5] WHERE k IN g[5]))
  AND (NOT $cross_document OR NONE(k IN f[5] WHERE left(k, 20) IN [j IN g[5] | left(j, 20)]))
  AND ($relation IS NULL OR $relation IN [f[2], g[2]])
  AND ($type IS NULL OR ANY(entity IN [b, f[1], g[1]] WHERE entity.type = $type))
  AND (NOT $novel OR ALL(fact IN [f[0], g[0]] WHERE fact.novel))
  AND ($since IS NULL OR ALL(fact IN [f[0], g[0]] WHERE EXISTS {
    MATCH (o:Document) WHERE o.key IN [k IN fact.chunks | left(k, 20)] AND $since <= o.published <= $until
  }))]))) AS n
