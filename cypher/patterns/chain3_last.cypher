// chain of three a→b→c→d, last asked: a and the three relations are named, every reading ends in the one d.
// First the relations whose readings through small bridges have one end (a running minimum and maximum: no list is
// kept), then their readings, then the proof: bridges of any size are asked by their group keys, never expanded.
// Parameters: $ranges ([{from: $code, until: $code + '~'}]), $limit (1000 groups a range),
//   $rows (true; false: one record for all), $max_pivot_degree (20), $cross_chunk (true), $cross_document (false),
//   $relation (null), $type (null), $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}).
UNWIND $ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH ()-[f:FACT]->()
  WHERE from <= f.sr < until
  WITH DISTINCT f.sr AS anchor
  ORDER BY anchor
  CALL (anchor) {
    MATCH (x:Entity)-[f:FACT {sr: anchor}]->(b:Entity)-[g:FACT]->(c:Entity)-[h:FACT]->(y:Entity)
    WHERE b.degree <= $max_pivot_degree AND c.degree <= $max_pivot_degree
      AND f.relation <> g.relation AND g.relation <> h.relation AND h.relation <> f.relation
      AND ($relation IS NULL OR $relation IN [f.relation, g.relation, h.relation])
    WITH g.relation AS second, h.relation AS third, min(y.key) AS lowest, max(y.key) AS highest,
         max(x <> b AND x <> c AND x <> y AND b <> c AND b <> y AND c <> y) AS listed
    WHERE lowest = highest AND listed
    WITH collect([second, third]) AS candidates
    WHERE size(candidates) > 0
    MATCH (x:Entity)-[f:FACT {sr: anchor}]->(b:Entity)-[g:FACT]->(c:Entity)-[h:FACT]->(y:Entity)
    WHERE b.degree <= $max_pivot_degree AND c.degree <= $max_pivot_degree
      AND [g.relation, h.relation] IN candidates
      AND x <> b AND x <> c AND x <> y AND b <> c AND b <> y AND c <> y
    WITH x, y, f.relation AS first, g.relation AS second, h.relation AS third,
         collect({f: f, b: b, g: g, c: c, h: h}) AS readings
    WHERE ALL(r IN readings WHERE
            (NOT $cross_chunk OR NONE(k IN r.f.chunks WHERE k IN r.g.chunks AND k IN r.h.chunks))
        AND (NOT $cross_document OR NONE(k IN r.f.chunks WHERE ANY(j IN r.g.chunks WHERE left(j, 20) = left(k, 20))
                                                           AND ANY(j IN r.h.chunks WHERE left(j, 20) = left(k, 20))))
        AND (NOT $novel OR (r.f.novel AND r.g.novel AND r.h.novel)))
      AND ($type IS NULL OR $type IN [x.type, y.type] OR ANY(r IN readings WHERE r.b.type = $type OR r.c.type = $type))
      AND (coalesce($published_since, $published_until) IS NULL
        OR ANY(r IN readings WHERE ALL(fact IN [r.f, r.g, r.h] WHERE EXISTS {
          UNWIND fact.chunks AS k
          MATCH (d:Document {key: left(k, 20)})
          WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
        })))
      AND NOT EXISTS {
        WITH x, y, readings[0].g.sr AS second_group, readings[0].h.sr AS third_group
        MATCH ()-[:FACT {sr: anchor}]->(b)
        MATCH ()-[:FACT {sr: b.key + substring(second_group, 20)}]->(c)
        WHERE b.degree > $max_pivot_degree OR c.degree > $max_pivot_degree
        MATCH ()-[:FACT {sr: c.key + substring(third_group, 20)}]->(z)
        WHERE z <> y OR NOT (b IN [x, y] OR c IN [x, b, y])
      }
    RETURN count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: 'last', relations: [first, second, third], named: [x {.key, .label}], answers: [y {.key, .label}],
      readings: [r IN readings | {pivots: [r.b.label, r.c.label], facts: [
        {key: r.f.key, relation: r.f.label, chunks: r.f.chunks, sentences: r.f.sentences, cells: r.f.cells,
         subject: x.label, subject_type: x.type,
         object: r.b.label, object_type: r.b.type, object_kind: r.b.kind},
        {key: r.g.key, relation: r.g.label, chunks: r.g.chunks, sentences: r.g.sentences, cells: r.g.cells,
         subject: r.b.label, subject_type: r.b.type,
         object: r.c.label, object_type: r.c.type, object_kind: r.c.kind},
        {key: r.h.key, relation: r.h.label, chunks: r.h.chunks, sentences: r.h.sentences, cells: r.h.cells,
         subject: r.c.label, subject_type: r.c.type,
         object: y.label, object_type: y.type, object_kind: y.kind}
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
