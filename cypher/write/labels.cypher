// Gives entities their class, and their second label in place of the one they have.
// Parameters: $rows ({key, type ('city'), label ('City'); null for none}). Columns: none.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
WITH e, row, [one IN labels(e) WHERE one <> 'Entity'] AS had, CASE WHEN row.label IS NULL THEN [] ELSE [row.label] END AS wanted
SET e.type = row.type
REMOVE e:$(had)
SET e:$(wanted)
