// The plan that a corpus's questions are made by, and whether a run over the whole corpus has ended.
// Parameters: $corpus ('demo'). Columns: plan (JSON, null where there is none), complete.
MATCH (c:Corpus {name: $corpus})
RETURN c.question_plan AS plan, coalesce(c.questions_complete, false) AS complete
