// Keeps the plan that a corpus's questions are made by.
// Parameters: $corpus ('demo'), $plan (JSON). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c.question_plan = $plan
