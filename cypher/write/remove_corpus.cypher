// Forgets a corpus whose documents are gone: its questions and its name.
// Parameters: $corpus ('demo'), $code (its code), $until ($code + '~'). Columns: none.
OPTIONAL MATCH (c:Corpus {name: $corpus})
DELETE c
WITH count(*) AS done
MATCH (q:Question)
WHERE q.key > $code AND q.key < $until
DETACH DELETE q
