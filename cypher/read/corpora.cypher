// The corpora of this database, views too.
// Parameters: none. Columns: name, code, last_write (when its texts, facts or vectors were last written),
//   view_of (the corpus that it shows as of a day; null: it is no view).
MATCH (c:Corpus)
RETURN c.name AS name, c.code AS code, c.last_write AS last_write, c.view_of AS view_of
ORDER BY name
