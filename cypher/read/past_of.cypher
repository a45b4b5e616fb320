// How many former versions of documents are kept, and until when the last of them was said; no row for a document without any.
// Parameters: $documents (document keys). Columns: document, number, until.
UNWIND $documents AS document
MATCH (p:PastDocument)
WHERE p.key STARTS WITH document
WITH document, max(p.number) AS number, max(p.said_until) AS until
RETURN document, number, until
