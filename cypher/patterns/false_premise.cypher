// false_premise: (s, r, v) and (s, q, x), each the only one of its group, where the schema says that r has one object; a
// question about x takes w for v. w is the only object by r of the next subject in order of key, of $max_partners: of v's
// kind and class, of dates at most 20 years away, and no fact joins it to v or s; q shares no longer word with r. Where
// s has several relations q, the first by its id is taken.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key'], relations: ['P19',
//   'P159']: those of which the schema says one object}), $limit (1000 groups a range), $rows (true; false: one record
//   for all), $max_partners (10), $relation (null), $type (null), $published_since (null), $published_until (null),
//   $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH (s:Entity)-[f:FACT]->(v:Entity) USING INDEX SEEK f:FACT(sr)
  WHERE from <= f.sr < until AND f.objects = 1 AND f.relation IN $walk.relations AND s <> v
    AND (v.kind = 'date' OR (v.kind = 'entity' AND v.type IS NOT NULL))
    AND (NOT $novel OR f.novel)
  WITH s, f, v, f.sr AS anchor
  ORDER BY anchor
  CALL (s, f, v, anchor) {
    CALL (f, anchor) {
      MATCH (t:Entity)-[h:FACT]->(w:Entity) USING INDEX SEEK h:FACT(relation, sr)
      WHERE h.relation = f.relation AND right(h.sr, 8) = right(anchor, 8) AND anchor < h.sr < left(anchor, 6) + '~'
        AND h.objects = 1
      RETURN w, h.sr AS at
      ORDER BY h.relation, h.sr LIMIT $max_partners
    }
    WITH s, f, v, w, at
    WHERE w <> v AND w <> s AND w.kind = v.kind AND coalesce(w.type, '') = coalesce(v.type, '')
      AND (v.kind <> 'date' OR (size(w.value) = size(v.value)
        AND abs(toInteger(left(w.value, 4)) - toInteger(left(v.value, 4))) <= 20))
      AND NOT EXISTS { (v)-[:FACT]-(w) } AND NOT EXISTS { (s)-[:FACT]-(w) }
    WITH s, f, v, w ORDER BY at LIMIT 1
    MATCH (s)-[g:FACT]->(x:Entity)
    WHERE g.relation <> f.relation AND g.objects = 1 AND NOT g.relation STARTS WITH 'open:'
      AND x <> s AND x <> v AND x <> w
      AND NONE(word IN split(f.label, ' ') WHERE size(word) > 3 AND word IN split(g.label, ' '))
    WITH s, f, v, w, g, x ORDER BY g.relation, x.label, coalesce(g.period, ''), g.key LIMIT 1
    WHERE ($relation IS NULL OR $relation IN [f.relation, g.relation]) AND ($type IS NULL OR $type IN [s.type, v.type, x.type]) AND (NOT $novel OR g.novel)
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(fact IN [f, g] WHERE EXISTS {
        UNWIND fact.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    RETURN 1 AS n, CASE WHEN $rows THEN [{
      asked: 'premise', relations: [f.relation, g.relation], named: [s {.key, .label}, w {.key, .label}],
      answers: [v {.key, .label}],
      readings: [{pivots: [], facts: [step IN [[f, s, v], [g, s, x]] |
        [[name IN $walk.fact | step[0][name]], [name IN $walk.entity | step[1][name]],
         [name IN $walk.entity | step[2][name]]]
      ]}]
    }] ELSE [] END AS rows
  }
  RETURN anchor, n, rows
  ORDER BY anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
