// Questions of a corpus by what they say, rest on and are about, a page at a time, by key or those of most facts first.
// Parameters: $code (the corpus's code), $until ($code + '~'), $pattern, $state, $difficulty ('one', 'two' or 'more' facts),
//   $document, $entity (keys), $review ('keep', 'none'): null for all; $text (words in lower case, [] for all), $sort ('key' or 'steps'), $after (the last key seen),
//   $steps (how many facts the last one had; 10000 at first, null by key), $limit (25).
// Columns: key, question (properties), uses (number of USES).
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until
  AND ($pattern IS NULL OR q.pattern = $pattern)
  AND ($state IS NULL OR q.state = $state)
  AND ($document IS NULL OR $document IN q.document_keys)
  AND ($entity IS NULL OR $entity IN q.entities)
  AND ($review IS NULL OR q.metadata CONTAINS ('"review": "' + $review + '"')
       OR ($review = 'none' AND NOT q.metadata CONTAINS '"review": "'))
  AND ALL(word IN $text WHERE toLower(q.question) CONTAINS word OR ANY(one IN q.answers WHERE toLower(one) CONTAINS word))
WITH q, size(q.fact_keys) AS facts
WHERE ($difficulty IS NULL OR $difficulty = CASE facts WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'more' END)
  AND (($steps IS NULL AND q.key > $after) OR facts < $steps OR (facts = $steps AND q.key > $after))
WITH q, facts ORDER BY CASE WHEN $sort = 'steps' THEN -facts ELSE 0 END, q.key LIMIT $limit
RETURN q.key AS key, properties(q) AS question, COUNT { (q)-[:USES]->() } AS uses
ORDER BY CASE WHEN $sort = 'steps' THEN -facts ELSE 0 END, key
