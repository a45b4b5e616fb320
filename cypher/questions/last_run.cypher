// What the last run of the selection left: the names of several things as it saw them, and the totals of its questions.
// Parameters: $corpus ('demo').
// Columns: shared_names, totals (JSON, null where they are not known), writes (how many times somebody has begun to write
//   the corpus's questions).
MATCH (c:Corpus {name: $corpus})
RETURN coalesce(c.shared_names, []) AS shared_names, c.question_totals AS totals,
       coalesce(c.question_writes, 0) AS writes
