// Forgets the name of a corpus that holds nothing any more.
// Parameters: $corpus ('demo'). Columns: none.
MATCH (c:Corpus {name: $corpus})
DELETE c
