// set_of_objects: the 2 to $max_set objects of one subject and relation; the named entity is none of them.
// Parameters: $from ($code), $until ($code + '~'), $limit (1000 groups), $rows (true; false counts only),
//   $max_set (10)
// Columns: anchor (group key, ascending), n (rows of the group), rows ({asked, relations, named, answers, readings}).
MATCH ()-[f:FACT]->()
WHERE $from <= f.sr < $until AND 2 <= f.objects <= $max_set
WITH DISTINCT f.sr AS anchor
ORDER BY anchor
CALL (anchor) {
  MATCH (s:Entity)-[f:FACT {sr: anchor}]->(o:Entity)
  WITH f, s, o ORDER BY o.label, o.key
  WITH s AS named, f.relation AS relation, collect(o {.key, .label}) AS answers, collect(o) AS members,
       collect({pivots: [], facts: [
      {key: f.key, relation: f.label, chunks: f.chunks, sentences: f.sentences,
       subject: s.label, subject_type: s.type,
       object: o.label, object_type: o.type, object_kind: o.kind}]}) AS readings
  WHERE NOT named IN members
  RETURN 1 AS n, CASE WHEN $rows THEN [{
    asked: 'members', relations: [relation], named: [named {.key, .label}], answers: answers, readings: readings
  }] ELSE [] END AS rows
}
RETURN anchor, n, rows
ORDER BY anchor LIMIT $limit
