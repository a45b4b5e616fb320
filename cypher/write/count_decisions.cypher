// Says that the decisions of a corpus have changed: rows that were made before are made anew.
// Parameters: $corpus ('demo'). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c.decisions = coalesce(c.decisions, 0) + 1
