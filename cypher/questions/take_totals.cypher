// Takes away the totals of the questions before any is written: they are true only while no run is under way.
// Parameters: $corpus ('demo'). Columns: totals (JSON by pattern, null where they are not known).
MATCH (c:Corpus {name: $corpus})
WITH c, c.question_totals AS totals
REMOVE c.question_totals
RETURN totals
