// The stored questions that are anchored at these groups.
// Parameters: $ranges ([{from: group key, until: group key + '~', beside: null or codes of second relations}]), $kinds
//   (['chain last', 'single object']). Columns: question (properties), uses (number of USES).
UNWIND $ranges AS range
WITH range.from AS from, range.until AS until, range.beside AS beside
MATCH (q:Question)
WHERE from < q.key < until AND q.pattern + ' ' + q.asked IN $kinds
  AND (beside IS NULL OR ANY(code IN q.beside WHERE code IN beside))
RETURN properties(q) AS question, COUNT { (q)-[:USES]->() } AS uses
