// The first names that have a form: the same words in another case, with or without an article.
// Parameters: $form (key of a form). Columns: label.
MATCH (e:Entity {form: $form})
RETURN DISTINCT e.label AS label
ORDER BY label
LIMIT 5
