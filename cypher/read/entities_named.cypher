// The entities of a corpus with exactly this name.
// Parameters: $form (key of the name's form in the corpus), $label ('Paris'). Columns: key.
MATCH (e:Entity {form: $form})
WHERE e.label = $label
RETURN e.key AS key
ORDER BY key
