// Keeps the plan that a corpus's questions are made by; from now on writers record what they change.
// Parameters: $corpus ('demo'), $plan (JSON). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c.question_plan = $plan, c.questions_complete = false
