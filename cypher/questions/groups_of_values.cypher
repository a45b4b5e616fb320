// The groups of a corpus that lead to a number or a date by one of these relations. It reads the keys of all facts.
// Parameters: $code (the corpus's code), $until ($code + '~'), $relations (codes: the last 8 characters of a group key).
// Columns: anchor (group key).
MATCH ()-[f:FACT]->(o:Entity) USING INDEX SEEK f:FACT(sr)
WHERE $code < f.sr < $until AND right(f.sr, 8) IN $relations AND o.kind IN ['number', 'date']
RETURN DISTINCT f.sr AS anchor
