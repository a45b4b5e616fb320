// Keeps the classes that the sources give names which are decided to be others; the alphabetically first stays.
// Parameters: $rows ({key: decision key, type}). Columns: none.
UNWIND $rows AS row
MATCH (d:Decision {key: row.key})
WHERE d.type IS NULL OR row.type < d.type
SET d.type = row.type
