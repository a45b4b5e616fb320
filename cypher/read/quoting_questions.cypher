// The questions that are withheld because of what documents say, on which they do not rest.
// Parameters: $code (the corpus's code), $until ($code + '~'), $documents (document keys). Columns: key, rivals (JSON).
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until AND ANY(document IN $documents WHERE q.rivals CONTAINS document)
RETURN q.key AS key, q.rivals AS rivals
ORDER BY key
