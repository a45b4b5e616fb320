// How many questions of a corpus are in which state, and why. Earlier versions stored a reviewer's remark behind the
// reason, which is private: it is cut.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: pattern, state, reason, questions.
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until
RETURN q.pattern AS pattern, q.state AS state,
       CASE WHEN q.reason STARTS WITH 'dropped by a person: ' THEN 'dropped by a person' ELSE q.reason END AS reason,
       count(*) AS questions
ORDER BY pattern, state, reason
