// The relations of a corpus, each with one of its labels.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: relation, label.
MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(sr)
WHERE $code < f.sr < $until
RETURN f.relation AS relation, min(f.label) AS label
