// star a←b→c: b is the only subject of f and a, c the only object of b and g.
// The arm with the smaller relation is the first.
// Parameters: $ranges ([{from: $code, until: $code + '~', beside: null}]), $limit (1000), $rows (true; false: counts),
//   $asked (null, 'first', 'last'), $max_pivot_degree (20), $apart (31: no chunk states both facts, 20: no document; null),
//   $relation (null), $type (null), $since and $until (null, or two dates), $novel (false)
// Columns: asked, path (from the named end to the answer; null where rows are only counted), n (rows).
UNWIND $ranges AS range
CALL (range) {
  MATCH path = (a:Entity)<-[f:FACT]-(b:Entity)-[g:FACT]->(c:Entity)
  WHERE range.from <= f.ro < range.until AND f.subjects = 1 AND g.objects = 1
    AND (range.beside IS NULL OR right(g.sr, 8) IN range.beside)
    AND ($asked IS NULL OR ($asked = 'last') = (f.relation < g.relation))
    AND f.relation <> g.relation AND a <> b AND b <> c AND c <> a
    AND b.degree <= $max_pivot_degree
    AND ($relation IS NULL OR $relation IN [f.relation, g.relation])
    AND ($type IS NULL OR $type IN [a.type, b.type, c.type])
    AND (NOT $novel OR f.novel AND g.novel)
    AND ($apart IS NULL OR NONE(k IN f.chunks WHERE left(k, $apart) IN [j IN g.chunks | left(j, $apart)]))
    AND ($since IS NULL OR ALL(fact IN [f, g] WHERE EXISTS {
      MATCH (d:Document) WHERE d.key IN [k IN fact.chunks | left(k, 20)] AND $since <= d.published <= $until
    }))
  RETURN CASE WHEN f.relation < g.relation THEN 'last' ELSE 'first' END AS asked, path ORDER BY f.ro LIMIT $limit
}
RETURN asked, CASE WHEN $rows THEN path END AS path, count(*) AS n
