// Forgets the former versions of documents.
// Parameters: $documents (document keys). Columns: source (of a document that had some).
UNWIND $documents AS document
MATCH (p:PastDocument)
WHERE p.key STARTS WITH document
WITH p, p.source AS source
DELETE p
RETURN DISTINCT source
