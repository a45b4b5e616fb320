// star a←b→c: only b has its relation to a, and c is the only object of b's other one.
// The first arm has the smaller relation.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~', beside: null}], fact: ['key'], entity: ['key']}),
//   $limit (1000), $rows (true; false: counts), $max_pivot_degree (20), $cross_chunk (true: no chunk states both
//   facts), $cross_document (false), $relation (null), $asked (null, 'first', 'last'), $type (null), $since and $until
//   (null, or two dates), $novel (false)
// Columns: n (rows), rows ([asked, entities from the named end to the answer, facts between]: lists of properties).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until, range.beside AS beside
CALL (from, until, beside) {
  MATCH path = (a)<-[f:FACT]-(b)-[g:FACT]->(c) USING INDEX SEEK f:FACT(ro)
  WHERE from <= f.ro < until AND f.subjects = 1 AND g.objects = 1
    AND f.relation <> g.relation AND a <> b AND b <> c AND c <> a AND b.degree <= $max_pivot_degree
    AND NOT f.relation STARTS WITH 'open:' AND NOT g.relation STARTS WITH 'open:'
    AND (beside IS NULL OR right(g.sr, 8) IN beside)
    AND ($asked IS NULL OR ($asked = 'last') = (f.relation < g.relation))
    AND (NOT $cross_chunk OR NONE(k IN f.chunks WHERE k IN g.chunks))
    AND (NOT $cross_document OR NONE(k IN f.chunks WHERE left(k, 20) IN [j IN g.chunks | left(j, 20)]))
    AND ($relation IS NULL OR ANY(fact IN relationships(path) WHERE fact.relation = $relation))
    AND ($type IS NULL OR ANY(entity IN nodes(path) WHERE entity.type = $type))
    AND (NOT $novel OR ALL(fact IN relationships(path) WHERE fact.novel))
    AND ($since IS NULL OR ALL(fact IN relationships(path) WHERE EXISTS {
      MATCH (o:Document) WHERE o.key IN [k IN fact.chunks | left(k, 20)] AND $since <= o.published <= $until
    }))
  RETURN CASE WHEN f.relation < g.relation THEN 'last' ELSE 'first' END AS asked,
         CASE WHEN $rows THEN path END AS path ORDER BY f.ro LIMIT $limit
}
RETURN count(*) AS n, collect(CASE WHEN $rows THEN [asked, [e IN nodes(path) | [name IN $walk.entity | e[name]]],
  [f IN relationships(path) | [name IN $walk.fact | f[name]]]] END) AS rows
