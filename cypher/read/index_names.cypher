// The names of all indexes; a constraint's index has the constraint's name.
// Parameters: none. Columns: name.
SHOW INDEXES YIELD name
RETURN name
