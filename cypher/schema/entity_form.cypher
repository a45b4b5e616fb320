// Finds the entities whose names are the same in lower case without marks ("Nathan H. Juran", "Nathan Juran").
// Parameters: none. Columns: none.
CREATE INDEX entity_form IF NOT EXISTS FOR (e:Entity) ON (e.form)
