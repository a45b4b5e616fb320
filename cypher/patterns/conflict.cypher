// conflict: the two objects of one subject and relation of which the schema says one (for ever, or at a time), stated by
// different documents that are dated; older first. Between the two is no fact: a town and its country are no conflict.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key'], relations: ['P19',
//   'P159']: those of which the schema says one object}), $limit (1000 groups a range), $rows (true; false: one record
//   for all), $relation (null), $type (null), $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, dates, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(sr)
  WHERE from <= f.sr < until AND f.objects = 2 AND f.relation IN $walk.relations
    AND ($relation IS NULL OR f.relation = $relation)
  WITH DISTINCT f.sr AS anchor
  ORDER BY anchor
  CALL (anchor) {
    MATCH (s:Entity)-[f:FACT {sr: anchor}]->(o:Entity) USING INDEX SEEK f:FACT(sr)
    CALL (f) {
      MATCH (d:Document) WHERE d.key IN [k IN f.chunks | left(k, 20)]
      RETURN collect(d.key) AS documents, max(d.published) AS said
    }
    WITH f, s, o, documents, said ORDER BY said, o.label, o.key
    WITH s AS named, f.relation AS relation, collect(o {.key, .label}) AS answers, collect(o) AS members,
         collect(f) AS facts, collect(documents) AS documents, collect(said) AS dates,
         collect({pivots: [], facts: [
        [[name IN $walk.fact | f[name]], [name IN $walk.entity | s[name]], [name IN $walk.entity | o[name]]]
      ]}) AS readings
    WITH *, members[0] AS one, members[1] AS two
    WHERE size(dates) = 2 AND NOT named IN members AND NONE(k IN documents[0] WHERE k IN documents[1])
      AND one.kind = two.kind AND coalesce(one.type, '') = coalesce(two.type, '')
      AND (one.kind <> 'date' OR size(one.value) = size(two.value))
      AND NOT EXISTS { (one)-[:FACT]-(two) }
      AND ($type IS NULL OR named.type = $type OR ANY(member IN members WHERE member.type = $type))
      AND (NOT $novel OR ALL(fact IN facts WHERE fact.novel))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(fact IN facts WHERE EXISTS {
        UNWIND fact.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    RETURN 1 AS n, CASE WHEN $rows THEN [{
      asked: 'values', relations: [relation], named: [named {.key, .label}], answers: answers,
      dates: [day IN dates | toString(day)], readings: readings
    }] ELSE [] END AS rows
  }
  RETURN anchor, n, rows
  ORDER BY anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
