// Records which facts a transaction wrote, restated or withdrew, which entities got another class, and what the passages
// mention that it wrote, restated or withdrew, for the next refresh of the corpus's questions.
// Parameters: $code (the corpus's code), $facts (sr + ro + key of each fact, 76 characters, then the document that was
//   behind it: 'changed: report.md'; a fact has a line for each), $retyped (entity keys),
//   $mentioned (form keys), $passages (the keys of these passages).
// Columns: none.
CREATE (:Change {key: $code + randomUUID(), facts: $facts, retyped: $retyped, mentioned: $mentioned, passages: $passages})
