// Documents of a corpus in order of key, a page at a time.
// Parameters: $after ($code to start), $until ($code + '~'), $limit (50). Columns: document (properties without vectors), chunks (number).
MATCH (d:Document)
WHERE d.key > $after AND d.key < $until
WITH d ORDER BY d.key LIMIT $limit
RETURN d {.*, summary_embedding: null} AS document, COUNT { (d)<-[:PART_OF]-() } AS chunks
ORDER BY d.key
