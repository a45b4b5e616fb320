// How many things of a corpus have facts; numbers and dates are no things.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: things.
MATCH (e:Entity)
WHERE e.key > $code AND e.key < $until AND e.degree > 0 AND e.kind = 'entity'
RETURN count(*) AS things
