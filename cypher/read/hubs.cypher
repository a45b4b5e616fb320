// The things of a corpus that have facts, the best connected first; numbers and dates are no things.
// Parameters: $code (the corpus's code), $until ($code + '~'), $limit (300). Columns: key, label, type, degree.
MATCH (e:Entity)
WHERE e.key > $code AND e.key < $until AND e.degree > 0 AND e.kind = 'entity'
RETURN e.key AS key, e.label AS label, e.type AS type, e.degree AS degree
ORDER BY degree DESC, key LIMIT $limit
