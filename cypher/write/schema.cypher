// Keeps the schema of one's own that a corpus was loaded by: its questions are worded as it says. Where it is another one
// than before, the next refresh looks at all of them.
// Parameters: $corpus ('demo'), $schema (the TOML text). Columns: none.
MATCH (c:Corpus {name: $corpus})
WHERE coalesce(c.schema, '') <> $schema
SET c.schema = $schema, c.questions_complete = false
