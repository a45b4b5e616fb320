// Finds an entity by its name.
// Parameters: none. Columns: none.
CREATE INDEX entity_label IF NOT EXISTS FOR (e:Entity) ON (e.label)
