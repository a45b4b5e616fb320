// The corpora of this database.
// Parameters: none. Columns: name, code.
MATCH (c:Corpus)
RETURN c.name AS name, c.code AS code
ORDER BY name
