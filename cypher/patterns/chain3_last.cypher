// chain of three a→b→c→d, last asked: each is the only object of the relation of the one before.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key']}), $limit (1000),
//   $rows (true; false: counts), $max_pivot_degree (20), $cross_chunk (true: no chunk states all three),
//   $cross_document (false), $relation (null), $type (null), $since and $until (null, or two dates), $novel (false)
// Columns: n (rows), rows ([asked, entities from the named end to the answer, facts between]: lists of properties).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH path = (a)-[f:FACT]->(b)-[g:FACT]->(c)-[h:FACT]->(d) USING INDEX SEEK f:FACT(sr)
  WHERE from <= f.sr < until AND f.objects = 1 AND g.objects = 1 AND h.objects = 1
    AND f.relation <> g.relation AND g.relation <> h.relation AND h.relation <> f.relation
    AND a <> b AND a <> c AND a <> d AND b <> c AND b <> d AND c <> d
    AND NOT f.relation STARTS WITH 'open:' AND NOT g.relation STARTS WITH 'open:' AND NOT h.relation STARTS WITH 'open:'
    AND b.degree <= $max_pivot_degree AND c.degree <= $max_pivot_degree
    AND (NOT $cross_chunk OR NONE(k IN f.chunks WHERE k IN g.chunks AND k IN h.chunks))
    AND (NOT $cross_document OR NONE(k IN f.chunks WHERE left(k, 20) IN [j IN g.chunks | left(j, 20)]
                                                     AND left(k, 20) IN [j IN h.chunks | left(j, 20)]))
    AND ($relation IS NULL OR ANY(fact IN relationships(path) WHERE fact.relation = $relation))
    AND ($type IS NULL OR ANY(entity IN nodes(path) WHERE entity.type = $type))
    AND (NOT $novel OR ALL(fact IN relationships(path) WHERE fact.novel))
    AND ($since IS NULL OR ALL(fact IN relationships(path) WHERE EXISTS {
      MATCH (o:Document) WHERE o.key IN [k IN fact.chunks | left(k, 20)] AND $since <= o.published <= $until
    }))
  RETURN 'last' AS asked, CASE WHEN $rows THEN path END AS path ORDER BY f.sr LIMIT $limit
}
RETURN count(*) AS n, collect(CASE WHEN $rows THEN [asked, [e IN nodes(path) | [name IN $walk.entity | e[name]]],
  [f IN relationships(path) | [name IN $walk.fact | f[name]]]] END) AS rows
