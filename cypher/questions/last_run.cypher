// What the last run of the selection left: the names of several things as it saw them, and the totals of its questions.
// Parameters: $corpus ('demo'). Columns: shared_names, totals (JSON by pattern, null where they are not known).
MATCH (c:Corpus {name: $corpus})
RETURN coalesce(c.shared_names, []) AS shared_names, c.question_totals AS totals
