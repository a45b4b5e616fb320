// Gives questions that an older version wrote what the share reads of them, and those that pass everything but perhaps
// their share their rank.
// Parameters: $code (the corpus's code), $until ($code + '~'), $over (the reason of those over their share). Columns: none.
MATCH (q:Question)
WHERE $code < q.key < $until
  AND (q.share IS NULL OR q.rank IS NULL AND (q.state = 'active' OR q.state = 'rejected' AND q.reason = $over))
CALL (q) {
  WITH q, coalesce(
    q.share,
    q.pattern + ' ' + q.key + ' ' + coalesce(q.turn, q.key) + ' '
    + reduce(text = head(q.fact_keys), one IN tail(q.fact_keys) | text + ',' + one) + ' '
    + coalesce(reduce(text = head(q.sources), one IN tail(q.sources) | text + ',' + one), '')
  ) AS share
  SET q.share = share,
      q.rank = CASE
        WHEN q.state = 'active' OR q.state = 'rejected' AND q.reason = $over
          THEN left(q.key, 6) + ' ' + q.pattern + ' ' + split(share, ' ')[2] + ' ' + q.key
      END
} IN TRANSACTIONS OF 2000 ROWS
