// The documents of a corpus that were published in a time; undated ones are not.
// Parameters: $code (the corpus's code), $until ($code + '~'), $first, $last (days, null: no bound). Columns: key.
MATCH (d:Document)
WHERE $code < d.key < $until AND d.published IS NOT NULL
  AND ($first IS NULL OR d.published >= $first) AND ($last IS NULL OR d.published <= $last)
RETURN d.key AS key
ORDER BY key
