// The corpora of this database.
// Parameters: none. Columns: name, code, last_write (when its texts, facts or vectors were last written).
MATCH (c:Corpus)
RETURN c.name AS name, c.code AS code, c.last_write AS last_write
ORDER BY name
