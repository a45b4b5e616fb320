// The stored single questions about these facts: they are anchored at the facts' own groups.
// Parameters: $facts (fact keys).
// Columns: fact, key, pattern ('single'), asked, beside, state, reason, share (as in
//   questions/passed).
UNWIND $facts AS fact
MATCH ()-[f:FACT {key: fact}]->()
UNWIND [f.sr, f.ro] AS anchor
MATCH (q:Question)
WHERE q.key > anchor AND q.key < anchor + '~' AND q.pattern = 'single' AND fact IN q.fact_keys
RETURN DISTINCT fact, q.key AS key, q.pattern AS pattern, q.asked AS asked, q.beside AS beside, q.state AS state,
       q.reason AS reason, q.share AS share
ORDER BY key
