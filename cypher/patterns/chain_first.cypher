// chain c→b→a, first asked: b is the only subject of f and a, c the only subject of g and b.
// Parameters: $ranges ([{from: $code, until: $code + '~', beside: null}]), $limit (1000), $rows (true; false: counts),
//   $max_pivot_degree (20), $apart (31: no chunk states both facts, 20: no document; null),
//   $relation (null), $type (null), $since and $until (null, or two dates), $novel (false)
// Columns: asked, path (from the named end to the answer; null where rows are only counted), n (rows).
UNWIND $ranges AS range
CALL (range) {
  MATCH path = (a:Entity)<-[f:FACT]-(b:Entity)<-[g:FACT]-(c:Entity)
  WHERE range.from <= f.ro < range.until AND f.subjects = 1 AND g.subjects = 1
    AND (range.beside IS NULL OR right(g.sr, 8) IN range.beside)
    AND f.relation <> g.relation AND a <> b AND b <> c AND c <> a
    AND b.degree <= $max_pivot_degree
    AND ($relation IS NULL OR $relation IN [f.relation, g.relation])
    AND ($type IS NULL OR $type IN [a.type, b.type, c.type])
    AND (NOT $novel OR f.novel AND g.novel)
    AND ($apart IS NULL OR NONE(k IN f.chunks WHERE left(k, $apart) IN [j IN g.chunks | left(j, $apart)]))
    AND ($since IS NULL OR ALL(fact IN [f, g] WHERE EXISTS {
      MATCH (d:Document) WHERE d.key IN [k IN fact.chunks | left(k, 20)] AND $since <= d.published <= $until
    }))
  RETURN 'first' AS asked, path ORDER BY f.ro LIMIT $limit
}
RETURN asked, CASE WHEN $rows THEN path END AS path, count(*) AS n
