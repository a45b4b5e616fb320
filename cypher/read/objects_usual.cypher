// How many subjects have one object of a relation, among the first facts of the relation.
// Parameters: $relations (ids), $code (the corpus's code), $until ($code + '~'), $limit (1000 facts). Columns: relation, groups,
//   one (groups with one object).
UNWIND $relations AS relation
CALL (relation) {
  MATCH ()-[f:FACT {relation: relation}]->()
  WHERE $code < f.sr < $until
  WITH f LIMIT $limit
  RETURN count(DISTINCT f.sr) AS groups, count(DISTINCT CASE WHEN f.objects = 1 THEN f.sr END) AS one
}
RETURN relation, groups, one
