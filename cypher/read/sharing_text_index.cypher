// The corpora that have no full-text index of their own.
// Parameters: none. Columns: name.
MATCH (c:Corpus)
WHERE c.text_index IS NULL
RETURN c.name AS name
ORDER BY name
