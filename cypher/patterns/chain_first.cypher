// chain a→b→c, first asked: c and both relations are named, every bridge b is led to by the one a.
// Candidates come through pivots of small degree; a bigger pivot of the same group is never expanded, only asked by its
// group key whether it has the other relation: then there is another answer, or a reading with too big a pivot.
// Parameters: $ranges ([{from: $code, until: $code + '~', beside: null}]), $limit (1000 groups a range),
//   $rows (true; false: one record for all), $max_pivot_degree (20), $cross_chunk (true), $cross_document (false),
//   $relation (null), $type (null), $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}).
UNWIND $ranges AS range
WITH range.from AS from, range.until AS until, range.beside AS beside
CALL (from, until, beside) {
  MATCH ()-[f:FACT]->()
  WHERE from <= f.ro < until
  WITH DISTINCT f.ro AS anchor
  ORDER BY anchor
  CALL (anchor, beside) {
    MATCH (x:Entity)<-[f:FACT {ro: anchor}]-(b:Entity)
    WITH x, f, b, b.degree > $max_pivot_degree AS big
    WITH x, collect(CASE WHEN big THEN b END) AS hubs, collect(CASE WHEN NOT big THEN {f: f, b: b} END) AS arms
    UNWIND arms AS arm
    WITH x, hubs, arm.f AS f, arm.b AS b
    MATCH (b)<-[g:FACT]-(y:Entity)
    WHERE g.relation <> f.relation AND ($relation IS NULL OR $relation IN [f.relation, g.relation])
      AND (beside IS NULL OR right(g.sr, 8) IN beside)
    WITH x, hubs, f.relation AS named_relation, g.relation AS asked_relation, collect(DISTINCT y) AS answers,
         collect({f: f, b: b, g: g}) AS readings
    WHERE size(answers) = 1
    WITH x, answers[0] AS y, hubs, named_relation, asked_relation,
         [r IN readings WHERE r.b <> x AND r.b <> answers[0] AND x <> answers[0]] AS readings
    WHERE size(readings) > 0
      AND ALL(r IN readings WHERE NOT $cross_chunk OR NONE(c IN r.f.chunks WHERE c IN r.g.chunks))
      AND ALL(r IN readings WHERE NOT $cross_document
          OR NONE(c IN r.f.chunks WHERE ANY(d IN r.g.chunks WHERE left(c, 20) = left(d, 20))))
      AND ($type IS NULL OR x.type = $type OR y.type = $type OR ANY(r IN readings WHERE r.b.type = $type))
      AND (NOT $novel OR ALL(r IN readings WHERE r.f.novel AND r.g.novel))
      AND (coalesce($published_since, $published_until) IS NULL
        OR ANY(r IN readings WHERE ALL(fact IN [r.f, r.g] WHERE EXISTS {
          UNWIND fact.chunks AS k
          MATCH (d:Document {key: left(k, 20)})
          WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
        })))
      AND NOT EXISTS {
        WITH x, y, readings[0].g.ro AS other
        UNWIND hubs AS h
        MATCH (z)-[:FACT {ro: h.key + substring(other, 20)}]->()
        WHERE z <> y OR NOT h IN [x, y]
      }
    WITH x, y, readings, named_relation, asked_relation, 'first' AS asked
    RETURN count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: asked, relations: [asked_relation, named_relation], named: [x {.key, .label}], answers: [y {.key, .label}],
      readings: [r IN readings | {pivots: [r.b.label], facts: [
        {key: r.g.key, relation: r.g.label, chunks: r.g.chunks, sentences: r.g.sentences, cells: r.g.cells,
         subject: y.label, subject_type: y.type,
         object: r.b.label, object_type: r.b.type, object_kind: r.b.kind},
        {key: r.f.key, relation: r.f.label, chunks: r.f.chunks, sentences: r.f.sentences, cells: r.f.cells,
         subject: r.b.label, subject_type: r.b.type,
         object: x.label, object_type: x.type, object_kind: x.kind}
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
