// The groups of a corpus that can be compared, by some relations: each leads to one number or date
// (patterns/comparison.cypher).
// Parameters: $code (the corpus's code), $until ($code + '~'), $relations ([{id: 'P569', code: 'the last
//   8 characters of its group keys'}]).
// Columns: anchor (group key), scale (with what the value can be compared: a unit, or the precision of a date).
UNWIND $relations AS relation
MATCH ()-[f:FACT]->(o:Entity) USING INDEX SEEK f:FACT(relation, sr)
WHERE f.relation = relation.id AND $code < f.sr < $until AND right(f.sr, 8) = relation.code
  AND f.objects = 1 AND (NOT f.relation STARTS WITH 'open:' OR f.cells IS NOT NULL)
  AND CASE o.kind
        WHEN 'number' THEN o.value = toFloat(o.value)
        WHEN 'date' THEN o.value =~ '[0-9]{4}(-[0-9]{2}){0,2}'
        ELSE false
      END
RETURN f.sr AS anchor,
       CASE o.kind WHEN 'number' THEN 'number ' + coalesce(o.unit, '') ELSE 'date ' + toString(size(o.value)) END AS scale
