// The schema of its own that a corpus was loaded by.
// Parameters: $corpus ('demo'). Columns: schema (TOML text, '' where it has none).
MATCH (c:Corpus {name: $corpus})
RETURN coalesce(c.schema, '') AS schema
