// Says that a view is complete: it holds the other corpus's write of this moment.
// Parameters: $corpus ('demo@2031-05-01'), $holds (that moment). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c.holds = $holds
