// What the loader called these documents.
// Parameters: $keys (document keys). Columns: key, source.
MATCH (d:Document)
WHERE d.key IN $keys
RETURN d.key AS key, d.source AS source
ORDER BY key
