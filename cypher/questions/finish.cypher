// Ends a run of the selection: the questions follow the graph as these records left it.
// If somebody else has begun to write questions since, neither run has seen what the other wrote: the totals are unknown, and
// the next run looks at the whole corpus.
// Parameters: $corpus ('demo'), $changes (keys of the records that the run has read), $shared_names (that it has seen),
//   $totals (of the questions that pass, JSON; null where they are not known), $writes (as the run knows it; -1: it was not
//   alone).
// Columns: none.
MATCH (corpus:Corpus {name: $corpus})
WITH corpus, coalesce(corpus.question_writes, 0) = $writes AS alone
SET corpus.questions_complete = alone, corpus.shared_names = $shared_names,
    corpus.question_totals = CASE WHEN alone THEN $totals END,
    corpus.question_writes = coalesce(corpus.question_writes, 0) + CASE WHEN alone THEN 0 ELSE 1 END
WITH corpus
UNWIND $changes AS key
MATCH (c:Change {key: key})
DELETE c
