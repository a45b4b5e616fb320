// set_of_objects: the 2 to $max_set objects of one subject and relation; the named entity is none of them.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key']}), $limit (1000
//   groups a range), $rows (true; false: one record for all), $max_set (10), $relation (null), $type (null),
//   $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(sr)
  WHERE from <= f.sr < until AND 2 <= f.objects <= $max_set AND NOT f.relation STARTS WITH 'open:'
    AND ($relation IS NULL OR f.relation = $relation)
  WITH DISTINCT f.sr AS anchor
  ORDER BY anchor
  CALL (anchor) {
    MATCH (s:Entity)-[f:FACT {sr: anchor}]->(o:Entity) USING INDEX SEEK f:FACT(sr)
    WITH f, s, o ORDER BY o.label, o.key
    WITH s AS named, f.relation AS relation, collect(o {.key, .label}) AS answers, collect(o) AS members,
         collect(f) AS facts, collect({pivots: [], facts: [
        [[name IN $walk.fact | f[name]], [name IN $walk.entity | s[name]], [name IN $walk.entity | o[name]]]
        ]}) AS readings
    WHERE NOT named IN members
      AND ($type IS NULL OR named.type = $type OR ANY(member IN members WHERE member.type = $type))
      AND (NOT $novel OR ALL(fact IN facts WHERE fact.novel))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(fact IN facts WHERE EXISTS {
        UNWIND fact.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    RETURN 1 AS n, CASE WHEN $rows THEN [{
      asked: 'members', relations: [relation], named: [named {.key, .label}], answers: answers, readings: readings
    }] ELSE [] END AS rows
  }
  RETURN anchor, n, rows
  ORDER BY anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
