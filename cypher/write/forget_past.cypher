// Forgets the former versions of documents.
// Parameters: $documents (document keys). Columns: none.
UNWIND $documents AS document
MATCH (p:PastDocument)
WHERE p.key STARTS WITH document
DELETE p
