// The questions of a corpus that pass everything but perhaps their share: the active ones, and those over it. All come in
// one row, which a client reads in half the time.
// Parameters: $code (the corpus's code), $until ($code + '~'), $over (the reason of those over their share).
// Columns: questions ([pattern, key, turn, sources, facts (keys), 'active' or $over]).
CALL () {
  MATCH (q:Question)
  WHERE q.state = 'active' AND $code < q.key < $until
  RETURN q, 'active' AS state
  UNION ALL
  MATCH (q:Question)
  WHERE q.reason = $over AND $code < q.key < $until AND q.state = 'rejected'
  RETURN q, $over AS state
}
RETURN collect([q.pattern, q.key, coalesce(q.turn, q.key), coalesce(q.sources, []), q.fact_keys, state]) AS questions
