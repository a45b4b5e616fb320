// A batch of chunks that have no vector yet, in order of key; single triples are left out, as their text says nothing.
// Parameters: $after ($code to start), $until (code + '~'), $limit (256). Columns: key, title, text.
MATCH (c:Chunk)
WHERE c.key > $after AND c.key < $until AND c.embedding IS NULL AND c.kind <> 'triple'
RETURN c.key AS key, c.title AS title, c.text AS text
ORDER BY key LIMIT $limit
