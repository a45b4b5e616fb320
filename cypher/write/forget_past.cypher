// Forgets the former versions of documents.
// Parameters: $documents (document keys). Columns: document, source (of each that had some).
UNWIND $documents AS document
MATCH (p:PastDocument)
WHERE p.key STARTS WITH document
WITH p, document, p.source AS source
DELETE p
RETURN DISTINCT document, source
