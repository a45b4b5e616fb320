// Deletes the questions that rest on documents, in whatever state they are: they quote them.
// Parameters: $code (the corpus's code), $until ($code + '~'), $documents (document keys). Columns: of each question that is
//   deleted facts and documents (keys), and cause.
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until AND ANY(document IN q.document_keys WHERE document IN $documents)
WITH q, q.fact_keys AS facts, q.document_keys AS documents, q.cause AS cause
DETACH DELETE q
RETURN facts, documents, cause
