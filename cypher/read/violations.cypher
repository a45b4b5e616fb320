// The groups of a corpus that have several ends where the schema says that there is one for ever.
// Parameters: $code (the corpus's code), $until ($code + '~'), $objects and $subjects (ids of the relations that have one
//   object, one subject). Columns: objects (groups of a subject with several objects), subjects (of an object with several
//   subjects).
CALL () {
  UNWIND $objects AS relation
  MATCH ()-[f:FACT {relation: relation}]->()
  WHERE $code < f.sr < $until AND f.objects > 1
  RETURN count(DISTINCT f.sr) AS objects
}
CALL () {
  UNWIND $subjects AS relation
  MATCH ()-[f:FACT {relation: relation}]->()
  WHERE $code < f.sr < $until AND f.subjects > 1
  RETURN count(DISTINCT f.ro) AS subjects
}
RETURN objects, subjects
