// The names that a corpus has in several spellings of one form.
// Parameters: $forms (keys of forms). Columns: names (ids of entities).
UNWIND $forms AS form
MATCH (e:Entity {form: form})
WHERE e.kind = 'entity'
WITH form, collect(e.id) AS names
WHERE size(names) > 1
RETURN names
