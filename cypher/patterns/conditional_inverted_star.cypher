// conditional inverted star a→b←c, pivot asked: a, c and both relations are named, exactly one b meets both. The
// first arm has the smaller relation.
// each_needed: neither condition alone has one answer (off: DRAGON's meaning), in the graph or, by the relations of
// $walk.several_objects and $walk.several_subjects, as is usual. Bigger pivots of the group are only
// asked by their group key whether they meet the other condition too: then the answer is not the only one.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~', beside: null}], fact: ['key'], entity: ['key'],
//   several_objects: ['P161'], several_subjects: ['P57']}),
//   $limit (1000 groups a range), $rows (true; false: one record for all), $max_pivot_degree (20), $cross_chunk (true),
//   $cross_document (false), $each_needed (true), $relation (null), $type (null), $published_since (null),
//   $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until, range.beside AS beside
CALL (from, until, beside) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(sr)
  WHERE from <= f.sr < until AND NOT f.relation STARTS WITH 'open:'
    AND (NOT $each_needed OR f.objects > 1 OR f.relation IN $walk.several_objects)
  WITH DISTINCT f.sr AS anchor
  ORDER BY anchor
  CALL (anchor, beside) {
    MATCH (a:Entity)-[f:FACT {sr: anchor}]->(b:Entity) USING INDEX SEEK f:FACT(sr)
    WITH a, f, b, b.degree > $max_pivot_degree AS big
    WITH a, collect(CASE WHEN big THEN b END) AS hubs, collect(CASE WHEN NOT big THEN {f: f, b: b} END) AS arms
    UNWIND arms AS arm
    WITH a, hubs, arm.f AS f, arm.b AS b
    MATCH (b)<-[g:FACT]-(c:Entity)
    WHERE g.relation > f.relation AND NOT g.relation STARTS WITH 'open:'
      AND ($relation IS NULL OR $relation IN [f.relation, g.relation])
      AND (beside IS NULL OR right(g.sr, 8) IN beside)
      AND a <> c AND (NOT $each_needed OR g.objects > 1 OR g.relation IN $walk.several_objects)
    WITH a, c, hubs, right(g.sr, 8) AS code, collect({f: f, b: b, g: g}) AS met
    WHERE size(met) = 1
    WITH a, c, hubs, met[0].f AS f, met[0].b AS b, met[0].g AS g
    WHERE a <> b AND b <> c
      AND (NOT $cross_chunk OR NONE(k IN f.chunks WHERE k IN g.chunks))
      AND (NOT $cross_document OR NONE(k IN f.chunks WHERE ANY(j IN g.chunks WHERE left(k, 20) = left(j, 20))))
      AND ($type IS NULL OR a.type = $type OR b.type = $type OR c.type = $type)
      AND (NOT $novel OR (f.novel AND g.novel))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(fact IN [f, g] WHERE EXISTS {
        UNWIND fact.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
      AND NOT EXISTS {
        UNWIND hubs AS h
        MATCH ()-[also:FACT {ro: h.key + substring(g.ro, 20)}]->() USING INDEX SEEK also:FACT(ro)
        WHERE startNode(also) = c
      }
    RETURN count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: 'pivot', relations: [f.relation, g.relation],
      named: [a {.key, .label}, c {.key, .label}], answers: [b {.key, .label}],
      readings: [{pivots: [b.label], facts: [step IN [[f, a, b], [g, c, b]] |
        [[name IN $walk.fact | step[0][name]], [name IN $walk.entity | step[1][name]],
         [name IN $walk.entity | step[2][name]]]
      ]}]
    } END) AS rows
  }
  WITH anchor, n, rows WHERE n > 0
  RETURN anchor, n, rows
  ORDER BY anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
