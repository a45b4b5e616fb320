// unanswerable: a subject and a relation that each thing of its class has, as the schema says, and of which the graph has no
// object; another thing of the corpus has one. The class is that of its type or label. The fact shown is the surest that is known of the subject, the
// first of these by relation and object.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key'], usual: [{relation:
//   'P571', code: of its groups, types: ['company'], labels: ['Company']}]}), $limit (1000 groups a range), $rows
//   (true; false: one record for all), $relation (null), $type (null), $published_since (null), $published_until
//   (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from) {
  UNWIND $walk.usual AS usual
  WITH usual, from
  WHERE ($relation IS NULL OR usual.relation = $relation)
    AND EXISTS { MATCH ()-[h:FACT]->() WHERE h.relation = usual.relation AND left(from, 6) < h.sr < left(from, 6) + '~' }
  RETURN collect(usual) AS known
}
CALL (from, until, known) {
  MATCH (s:Entity)
  WHERE left(from, 20) <= s.key < until AND s.kind = 'entity'
  WITH s ORDER BY s.key
  CALL (s, from, until, known) {
    UNWIND known AS usual
    WITH usual, s.key + usual.code AS anchor
    WHERE from <= anchor < until AND (s.type IN usual.types OR ANY(label IN labels(s) WHERE label IN usual.labels))
      AND NOT EXISTS { MATCH (s)-[h:FACT]->() WHERE h.relation = usual.relation }
    MATCH (s)-[g:FACT]->(o:Entity)
    WHERE NOT g.relation STARTS WITH 'open:' AND o <> s
    WITH usual, anchor, g, o
    ORDER BY reduce(most = 0.0, one IN coalesce(g.confidence, [1.0]) | CASE WHEN one > most THEN one ELSE most END) DESC,
             g.relation, o.label, coalesce(g.period, ''), g.key
    WITH usual, anchor, collect([g, o])[0] AS surest
    WITH usual, anchor, surest[0] AS g, surest[1] AS o
    WHERE (NOT $novel OR g.novel) AND ($type IS NULL OR $type IN [s.type, o.type])
      AND (coalesce($published_since, $published_until) IS NULL OR EXISTS {
        UNWIND g.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      })
    RETURN anchor, 1 AS n, CASE WHEN $rows THEN [{
      asked: 'nothing', relations: [usual.relation], named: [s {.key, .label}],
      answers: [{key: null, label: 'not stated in the documents'}],
      readings: [{pivots: [], facts: [
        [[name IN $walk.fact | g[name]], [name IN $walk.entity | s[name]], [name IN $walk.entity | o[name]]]
      ]}]
    }] ELSE [] END AS rows
  }
  RETURN anchor, n, rows
  ORDER BY s.key, anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
