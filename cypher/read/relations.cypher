// The relations of a corpus.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: relation.
MATCH ()-[f:FACT]->()
WHERE $code < f.sr < $until
RETURN DISTINCT f.relation AS relation
