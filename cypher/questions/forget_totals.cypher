// Takes away the totals of the questions before any is written: they are true only while no run is under way.
// Parameters: $corpus ('demo'). Columns: none.
MATCH (c:Corpus {name: $corpus})
REMOVE c.question_totals
