// single, subject asked: the facts whose subject is the only one for their relation and object.
// both_ends: DRAGON's meaning (both counters 1). isolated: RARE's (section 3.3: neither end has any other fact).
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key']}), $limit (1000),
//   $rows (true; false: counts), $both_ends (false), $isolated (false), $relation (null), $type (null), $since and
//   $until (null, or two dates), $novel (false), $open (false: open facts of tables alone; true: all)
// Columns: n (rows), rows ([asked, entities from the named end to the answer, facts between]: lists of properties).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH path = (a)<-[f:FACT]-(b) USING INDEX SEEK f:FACT(ro)
  WHERE from <= f.ro < until AND f.subjects = 1 AND a <> b
    AND ($open OR NOT f.relation STARTS WITH 'open:' OR f.cells IS NOT NULL)
    AND (NOT $both_ends OR f.objects = 1)
    AND (NOT $isolated OR a.degree = 1 AND b.degree = 1)
    AND ($relation IS NULL OR ANY(fact IN relationships(path) WHERE fact.relation = $relation))
    AND ($type IS NULL OR ANY(entity IN nodes(path) WHERE entity.type = $type))
    AND (NOT $novel OR ALL(fact IN relationships(path) WHERE fact.novel))
    AND ($since IS NULL OR ALL(fact IN relationships(path) WHERE EXISTS {
      MATCH (o:Document) WHERE o.key IN [k IN fact.chunks | left(k, 20)] AND $since <= o.published <= $until
    }))
  RETURN 'subject' AS asked, CASE WHEN $rows THEN path END AS path ORDER BY f.ro LIMIT $limit
}
RETURN count(*) AS n, collect(CASE WHEN $rows THEN [asked, [e IN nodes(path) | [name IN $walk.entity | e[name]]],
  [f IN relationships(path) | [name IN $walk.fact | f[name]]]] END) AS rows
