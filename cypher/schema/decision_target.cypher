// Finds the names that are decided to be one entity or one relation.
// Parameters: none. Columns: none.
CREATE INDEX decision_target IF NOT EXISTS FOR (d:Decision) ON (d.target)
