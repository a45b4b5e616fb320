// How many chains a→b→c have one answer, at either end: the rows of chain_last and chain_first, counted at their bridges.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}]}: keys of b), $asked (null, 'first', 'last'),
//   $max_pivot_degree (20), $cross_chunk (true: no chunk states both facts), $cross_document (false), $relation (null),
//   $type (null), $since and $until (null, or two dates), $novel (false)
// Columns: n (rows).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
MATCH (b:Entity)
WHERE from < b.key < until AND b.degree <= $max_pivot_degree
MATCH path = (a)-[f:FACT]->(b)-[g:FACT]->(c)
WHERE (f.objects = 1 AND g.objects = 1 OR f.subjects = 1 AND g.subjects = 1)
  AND f.relation <> g.relation AND a <> b AND b <> c AND c <> a
  AND NOT f.relation STARTS WITH 'open:' AND NOT g.relation STARTS WITH 'open:'
  AND (NOT $cross_chunk OR NONE(k IN f.chunks WHERE k IN g.chunks))
  AND (NOT $cross_document OR NONE(k IN f.chunks WHERE left(k, 20) IN [j IN g.chunks | left(j, 20)]))
  AND ($relation IS NULL OR ANY(fact IN relationships(path) WHERE fact.relation = $relation))
  AND ($type IS NULL OR ANY(entity IN nodes(path) WHERE entity.type = $type))
  AND (NOT $novel OR ALL(fact IN relationships(path) WHERE fact.novel))
  AND ($since IS NULL OR ALL(fact IN relationships(path) WHERE EXISTS {
    MATCH (o:Document) WHERE o.key IN [k IN fact.chunks | left(k, 20)] AND $since <= o.published <= $until
  }))
RETURN sum(CASE WHEN f.objects = 1 AND g.objects = 1 AND coalesce($asked, 'last') = 'last' THEN 1 ELSE 0 END
         + CASE WHEN f.subjects = 1 AND g.subjects = 1 AND coalesce($asked, 'first') = 'first' THEN 1 ELSE 0 END) AS n
