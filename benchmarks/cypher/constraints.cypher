// All constraints.
// Parameters: none. Columns: name.
SHOW CONSTRAINTS YIELD name
RETURN name
