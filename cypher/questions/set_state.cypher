// Changes the state of questions and says why; one that passes everything but perhaps its share has its rank. What another
// run has retired meanwhile stays retired, and only what a run has left out beside other questions becomes active.
// Parameters: $rows ({key, state, reason, cause}), $over (the reason of those over their share), $beside (this and the
//   other reasons that other questions give). Columns: none.
UNWIND $rows AS row
MATCH (q:Question {key: row.key})
SET q.locked = true
REMOVE q.locked
WITH q, row
WHERE row.state = 'retired' OR (row.state = 'active' AND q.state = 'rejected' AND q.reason IN $beside)
  OR (row.state = 'rejected' AND q.state <> 'retired')
SET q.state = row.state, q.reason = row.reason, q.cause = row.cause,
    q.rank = CASE
      WHEN row.state = 'active' OR row.reason = $over
        THEN left(q.key, 6) + ' ' + q.pattern + ' ' + split(q.share, ' ')[2] + ' ' + q.key
    END
