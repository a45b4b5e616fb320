// The corpora of an earlier version, and those whose counts no write has stored, or that are removed in part.
// Parameters: none. Columns: name, typed (whether mentions have the classes that passages give).
MATCH (c:Corpus)
WHERE c.facts IS NULL OR c.mention_types IS NULL
RETURN c.name AS name, c.mention_types IS NOT NULL AS typed
ORDER BY name
