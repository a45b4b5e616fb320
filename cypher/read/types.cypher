// The types of a corpus's entities.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: type.
MATCH (e:Entity)
WHERE e.key > $code AND e.key < $until AND e.type IS NOT NULL
RETURN DISTINCT e.type AS type
