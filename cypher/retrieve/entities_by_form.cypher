// Which names of these forms passages mention, and how many passages do.
// Parameters: $forms (keys of forms). Columns: form, label (of the entities of a form the alphabetically first), mentions.
UNWIND $forms AS form
MATCH (e:Entity {form: form})
WITH form, min(e.label) AS label, sum(COUNT { (e)<-[:MENTIONS]-() }) AS mentions
WHERE mentions > 0
RETURN form, label, mentions
ORDER BY form
