// The texts of a corpus in order of key, a page at a time.
// Parameters: $after ($code to start), $until ($code + '~'), $limit (1000). Columns: key, text, domain (the document's, else its type).
MATCH (c:Chunk)
WHERE $after < c.key < $until AND c.kind <> 'triple'
WITH c ORDER BY c.key LIMIT $limit
MATCH (c)-[:PART_OF]->(d:Document)
RETURN c.key AS key, c.text AS text, coalesce(d.domain, d.doc_type) AS domain
ORDER BY key
