// Entities of a corpus, in order of key, a page at a time.
// Parameters: $after ($code to start), $until ($code + '~'), $limit (500). Columns: key, entity (id, label, kind, value, unit,
//   type, aliases, description).
MATCH (e:Entity)
WHERE e.key > $after AND e.key < $until
RETURN e.key AS key, e {.id, .label, .kind, .value, .unit, .type, .aliases, .description} AS entity
ORDER BY key LIMIT $limit
