// Drops one constraint.
// Parameters: $name ('chunk_key'). Columns: none.
DROP CONSTRAINT $name IF EXISTS
