// The corpora whose counts no write has stored: of an earlier version, or removed in part.
// Parameters: none. Columns: name.
MATCH (c:Corpus)
WHERE c.facts IS NULL
RETURN c.name AS name
ORDER BY name
