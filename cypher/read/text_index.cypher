// The full-text index of a corpus.
// Parameters: $corpus ('demo'). Columns: name (null where all corpora share one); no row for a corpus that is not there.
MATCH (c:Corpus {name: $corpus})
RETURN c.text_index AS name
