// Writes entities; of two classes given for one entity the alphabetically first stays, so that order never matters.
// It is not known who gave a class, so it stays when that document is replaced or removed, until nothing names the entity.
// What is known of an item of Wikidata is what the last index tells; a decision tells nothing of it.
// Parameters: $rows ({key, type, properties}). Columns: none.
UNWIND $rows AS row
MERGE (e:Entity {key: row.key})
ON CREATE SET e = row.properties, e.type = row.type, e.degree = 0
ON MATCH SET e.type = CASE WHEN e.type IS NULL OR row.type < e.type THEN row.type ELSE e.type END
WITH e, row.properties AS told
WHERE NOT told.id STARTS WITH 'local:'
SET e.label = told.label, e.bracketed = told.bracketed, e.description = coalesce(told.description, e.description),
    e.aliases = coalesce(told.aliases, e.aliases)
