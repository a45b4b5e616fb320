// The schema of its own that a corpus was loaded by.
// Parameters: $code ($code). Columns: schema (TOML text, '' where it has none).
MATCH (c:Corpus {code: $code})
RETURN coalesce(c.schema, '') AS schema
