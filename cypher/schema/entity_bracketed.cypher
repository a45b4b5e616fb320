// Finds a corpus's entities whose labels end in a bracket ("True Grit (1969 film)") without reading the others.
// Parameters: none. Columns: none.
CREATE INDEX entity_bracketed IF NOT EXISTS FOR (e:Entity) ON (e.bracketed)
