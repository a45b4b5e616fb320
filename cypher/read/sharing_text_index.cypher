// The corpora that have no full-text index of their own; a view that was made for a search has one.
// Parameters: none. Columns: name.
MATCH (c:Corpus)
WHERE c.text_index IS NULL AND c.view_of IS NULL
RETURN c.name AS name
ORDER BY name
