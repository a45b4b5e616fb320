// Takes away the totals of the questions before any is written: they are true only while nobody writes questions.
// Parameters: $corpus ('demo').
// Columns: writes (how many times somebody has begun to write the corpus's questions, this one among them).
MATCH (c:Corpus {name: $corpus})
SET c.question_writes = coalesce(c.question_writes, 0) + 1
REMOVE c.question_totals
RETURN c.question_writes AS writes
