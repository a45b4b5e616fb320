// The questions of a corpus that pass everything but perhaps their share: the active ones, and those over it.
// Parameters: $code (the corpus's code), $until ($code + '~'), $over (the reason of those over their share).
// Columns: key, pattern, turn, sources, facts (keys), state.
CALL () {
  MATCH (q:Question)
  WHERE q.state = 'active' AND $code < q.key < $until
  RETURN q
  UNION ALL
  MATCH (q:Question)
  WHERE q.reason = $over AND $code < q.key < $until AND q.state = 'rejected'
  RETURN q
}
RETURN q.key AS key, q.pattern AS pattern, coalesce(q.turn, q.key) AS turn, coalesce(q.sources, []) AS sources,
       q.fact_keys AS facts, q.state AS state
