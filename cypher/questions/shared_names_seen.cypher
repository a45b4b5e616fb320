// The names of several things as the last run of the selection saw them.
// Parameters: $corpus ('demo'). Columns: name.
MATCH (c:Corpus {name: $corpus})
UNWIND c.shared_names AS name
RETURN name
