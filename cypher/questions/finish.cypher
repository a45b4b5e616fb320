// Ends a run of the selection: the questions follow the graph as these records left it.
// Parameters: $corpus ('demo'), $changes (keys of the records that the run has read), $shared_names (that it has seen),
//   $totals (of the questions that pass, JSON by pattern; null where they are not known).
// Columns: none.
MATCH (corpus:Corpus {name: $corpus})
SET corpus.questions_complete = true, corpus.shared_names = $shared_names, corpus.question_totals = $totals
WITH corpus
UNWIND $changes AS key
MATCH (c:Change {key: key})
DELETE c
