// The former versions of a corpus's documents, without what they said.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: key, source, content_hash, said_from (null: always),
//   said_until.
MATCH (p:PastDocument)
WHERE $code < p.key < $until
RETURN p.key AS key, p.source AS source, p.content_hash AS content_hash, p.said_from AS said_from, p.said_until AS said_until
ORDER BY key
