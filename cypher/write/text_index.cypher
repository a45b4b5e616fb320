// Remembers the full-text index of a corpus.
// Parameters: $corpus ('demo'), $name ('chunk_text_v8dpfc'). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c.text_index = $name
