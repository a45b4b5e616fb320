// Finds the questions of a pattern that pass everything but perhaps their share in order of rank.
// Parameters: none. Columns: none.
CREATE INDEX question_rank IF NOT EXISTS FOR (q:Question) ON (q.rank)
