// The stored questions of a kind that are anchored at groups.
// Parameters: $ranges ([{kind: 'chain last', from: group key, until: group key + '~', beside: null or codes of second
//   relations}]). Columns: question (properties), uses (number of USES).
UNWIND $ranges AS range
WITH range.kind AS kind, range.from AS from, range.until AS until, range.beside AS beside
MATCH (q:Question)
WHERE from < q.key < until AND q.pattern + ' ' + q.asked = kind
  AND (beside IS NULL OR ANY(code IN q.beside WHERE code IN beside))
RETURN properties(q) AS question, COUNT { (q)-[:USES]->() } AS uses
