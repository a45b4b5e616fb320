// How many facts of a corpus have a relation.
// Parameters: $relation ('makes'), $code (the corpus's code), $until ($code + '~'). Columns: facts.
MATCH ()-[f:FACT]->()
WHERE f.relation = $relation AND $code < f.sr < $until
RETURN count(f) AS facts
