// chain of three a→b→c→d, last asked: each is the only object of the one before and of the relation between.
// Parameters: $ranges ([{from: $code, until: $code + '~'}]), $limit (1000), $rows (true; false: counts),
//   $max_pivot_degree (20), $apart (31: no chunk states all three facts, 20: no document; null),
//   $relation (null), $type (null), $since and $until (null, or two dates), $novel (false)
// Columns: asked, path (from the named end to the answer; null where rows are only counted), n (rows).
UNWIND $ranges AS range
CALL (range) {
  MATCH path = (a:Entity)-[f:FACT]->(b:Entity)-[g:FACT]->(c:Entity)-[h:FACT]->(d:Entity)
  WHERE range.from <= f.sr < range.until AND f.objects = 1 AND g.objects = 1 AND h.objects = 1
    AND f.relation <> g.relation AND g.relation <> h.relation AND h.relation <> f.relation
    AND a <> b AND a <> c AND a <> d AND b <> c AND b <> d AND c <> d
    AND b.degree <= $max_pivot_degree AND c.degree <= $max_pivot_degree
    AND ($relation IS NULL OR $relation IN [f.relation, g.relation, h.relation])
    AND ($type IS NULL OR $type IN [a.type, b.type, c.type, d.type])
    AND (NOT $novel OR f.novel AND g.novel AND h.novel)
    AND ($apart IS NULL OR NONE(k IN f.chunks WHERE left(k, $apart) IN [j IN g.chunks | left(j, $apart)]
                                             AND left(k, $apart) IN [j IN h.chunks | left(j, $apart)]))
    AND ($since IS NULL OR ALL(fact IN [f, g, h] WHERE EXISTS {
      MATCH (o:Document) WHERE o.key IN [k IN fact.chunks | left(k, 20)] AND $since <= o.published <= $until
    }))
  RETURN 'last' AS asked, path ORDER BY f.sr LIMIT $limit
}
RETURN asked, CASE WHEN $rows THEN path END AS path, count(*) AS n
