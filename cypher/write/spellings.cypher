// Notes how names are spelt, so that a name that comes later meets those that may be the same.
// Parameters: $rows ({key: block + name, 30 characters, name: id}). Columns: none.
UNWIND $rows AS row
MERGE (s:Spelling {key: row.key})
SET s.name = row.name
