// The questions of a corpus that pass everything but perhaps their share: the active ones, and those over it. What the
// share reads of a question is one text, and all come in two rows: that takes a fifth of the time of a list each.
// Parameters: $code (the corpus's code), $until ($code + '~'), $over (the reason of those over their share).
// Columns: state ('active' or $over), shares ('pattern key turn fact,fact source,source' each).
CALL () {
  MATCH (q:Question)
  WHERE q.state = 'active' AND $code < q.key < $until
  RETURN q, 'active' AS state
  UNION ALL
  MATCH (q:Question)
  WHERE q.reason = $over AND $code < q.key < $until AND q.state = 'rejected'
  RETURN q, $over AS state
}
RETURN state, collect(q.share) AS shares
