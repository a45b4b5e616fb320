// The stored questions that are anchored at these groups.
// Parameters: $anchors (group keys), $kinds (['chain last', 'single object']). Columns: question (properties), uses
//   (number of USES).
UNWIND $anchors AS anchor
MATCH (q:Question)
WHERE q.key > anchor AND q.key < anchor + '~' AND q.pattern + ' ' + q.asked IN $kinds
RETURN properties(q) AS question, COUNT { (q)-[:USES]->() } AS uses
