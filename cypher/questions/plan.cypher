// The plan that a corpus's questions are made by.
// Parameters: $corpus ('demo'). Columns: plan (JSON, null where there is none).
MATCH (c:Corpus {name: $corpus})
RETURN c.question_plan AS plan
