// The entities of a corpus that have one of these names, items of Wikidata among them.
// Parameters: $names ({form: key of the name's form, label}). Columns: key.
UNWIND $names AS name
MATCH (e:Entity {form: name.form})
WHERE e.label = name.label
RETURN e.key AS key
