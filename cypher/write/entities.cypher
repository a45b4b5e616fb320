// Writes entities; write/labels gives them their classes.
// What is known of an item of Wikidata is what the last index tells; a decision tells nothing of it.
// Parameters: $rows ({key, properties}). Columns: none.
UNWIND $rows AS row
MERGE (e:Entity {key: row.key})
ON CREATE SET e = row.properties, e.degree = 0
WITH e, row.properties AS told
WHERE NOT told.id STARTS WITH 'local:'
SET e.label = told.label, e.bracketed = told.bracketed, e.description = coalesce(told.description, e.description),
    e.aliases = coalesce(told.aliases, e.aliases)
