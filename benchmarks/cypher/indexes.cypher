// All indexes but those of the database itself.
// Parameters: none. Columns: name.
SHOW INDEXES YIELD name, type
WHERE type <> 'LOOKUP'
RETURN name
