// Marks the entities whose labels end in a bracket, as a write does since the mark is there (schema/entity_bracketed).
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: none.
MATCH (e:Entity)
WHERE $code < e.key < $until AND e.label ENDS WITH ')'
SET e.bracketed = $code
