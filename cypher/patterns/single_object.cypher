// single, object asked: the facts whose object is the only one for their subject and relation.
// both_ends: DRAGON's meaning (both counters 1). isolated: RARE's (section 3.3: neither end has any other fact).
// Parameters: $ranges ([{from: $code, until: $code + '~'}]), $limit (1000 groups a range),
//   $rows (true; false: one record for all), $both_ends (false), $isolated (false), $relation (null), $type (null),
//   $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings, either_end: whether the other
//   end could be asked for as well}).
UNWIND $ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH (s:Entity)-[f:FACT]->(o:Entity)
  WHERE from <= f.sr < until AND f.objects = 1 AND s <> o
    AND (NOT $both_ends OR f.subjects = 1)
    AND (NOT $isolated OR (s.degree = 1 AND o.degree = 1))
    AND ($relation IS NULL OR f.relation = $relation)
    AND ($type IS NULL OR s.type = $type OR o.type = $type)
    AND (NOT $novel OR f.novel)
    AND (coalesce($published_since, $published_until) IS NULL OR EXISTS {
      UNWIND f.chunks AS k
      MATCH (d:Document {key: left(k, 20)})
      WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
    })
  WITH f.sr AS anchor, f, s, o
  ORDER BY anchor LIMIT $limit
  RETURN anchor, 1 AS n, CASE WHEN $rows THEN [{
    asked: 'object', relations: [f.relation],
    named: [s {.key, .label}], answers: [o {.key, .label}],
    either_end: f.subjects = 1,
    readings: [{pivots: [], facts: [
        {key: f.key, relation: f.label, chunks: f.chunks, sentences: f.sentences, cells: f.cells,
         subject: s.label, subject_type: s.type,
         object: o.label, object_type: o.type, object_kind: o.kind}]}]
  }] ELSE [] END AS rows
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
