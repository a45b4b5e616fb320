// comparison of (s, r, v) and (t, r, w): both subjects and the relation are named, one of the subjects is the answer.
// Each subject has one object by r in one period, both are numbers of one unit (none counts as one) or dates of one
// precision, and they differ; an open relation is that of a table's heading, which somebody meant. s has the smaller key; it is compared with the next $max_partners subjects in order of key whose value
// can be compared with v at all, so that a relation of many subjects costs what it lists, not the square.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key'], asked: null}; asked:
//   null for all, 'larger', 'smaller', 'earlier', 'later'), $limit (1000 groups a range), $rows (true; false: one
//   record for all), $max_partners (10), $cross_document (false), $relation (null), $type (null), $published_since
//   (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(sr)
  WHERE from <= f.sr < until AND f.objects = 1 AND (NOT f.relation STARTS WITH 'open:' OR f.cells IS NOT NULL)
    AND ($relation IS NULL OR f.relation = $relation)
  WITH DISTINCT f.sr AS anchor
  ORDER BY anchor
  CALL (anchor) {
    MATCH (s:Entity)-[f:FACT {sr: anchor}]->(v:Entity) USING INDEX SEEK f:FACT(sr)
    WHERE (v.kind = 'number' AND v.value = toFloat(v.value))
       OR (v.kind = 'date' AND v.value =~ '[0-9]{4}(-[0-9]{2}){0,2}')
    CALL (anchor, f, v) {
      MATCH (t:Entity)-[g:FACT]->(w:Entity) USING INDEX SEEK g:FACT(relation, sr)
      WHERE g.relation = f.relation AND right(g.sr, 8) = right(anchor, 8) AND anchor < g.sr < left(anchor, 6) + '~'
        AND g.objects = 1 AND w.kind = v.kind AND (NOT g.relation STARTS WITH 'open:' OR g.cells IS NOT NULL)
        AND CASE v.kind
              WHEN 'number' THEN w.value = toFloat(w.value) AND coalesce(w.unit, '') = coalesce(v.unit, '')
              ELSE w.value =~ '[0-9]{4}(-[0-9]{2}){0,2}' AND size(w.value) = size(v.value)
            END
      RETURN t, g, w
      ORDER BY g.relation, g.sr LIMIT $max_partners
    }
    WITH s, f, v, t, g, w
    WHERE v.value <> w.value AND s <> v AND s <> w AND t <> v AND t <> w
      AND ($type IS NULL OR s.type = $type OR t.type = $type)
      AND (NOT $novel OR (f.novel AND g.novel))
      AND (NOT $cross_document OR NONE(k IN f.chunks WHERE ANY(j IN g.chunks WHERE left(k, 20) = left(j, 20))))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(fact IN [f, g] WHERE EXISTS {
        UNWIND fact.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    UNWIND CASE v.kind WHEN 'number' THEN ['larger', 'smaller'] ELSE ['earlier', 'later'] END AS asked
    WITH s, f, v, t, g, w, asked,
         CASE WHEN (asked IN ['larger', 'later']) = (v.value > w.value) THEN s ELSE t END AS answer
    WHERE asked = coalesce($walk.asked, asked)
    RETURN count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: asked, relations: [f.relation], named: [s {.key, .label}, t {.key, .label}],
      answers: [answer {.key, .label}],
      readings: [{pivots: [], facts: [step IN [[f, s, v], [g, t, w]] |
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
