// What writing transactions have changed since the questions were last brought up to date.
// Parameters: $code (the corpus's code), $until ($code + '~').
// Columns: key, facts (sr + ro + key of each fact, then the document behind it), retyped (entity keys), mentioned (form
//   keys), passages (keys of chunks that came, went or were restated).
MATCH (c:Change)
WHERE c.key > $code AND c.key < $until
RETURN c.key AS key, c.facts AS facts, c.retyped AS retyped, coalesce(c.mentioned, []) AS mentioned,
       coalesce(c.passages, []) AS passages
ORDER BY key
