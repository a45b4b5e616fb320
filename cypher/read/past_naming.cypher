// The last former versions of documents that name one of some entities, with what they said.
// Parameters: $code (the corpus's code), $until ($code + '~'), $entities (entity keys), $limit (100). Columns: key, source,
//   content_hash, said_from (null: always), said_until, reading (bytes).
MATCH (p:PastDocument)
WHERE $code < p.key < $until AND ANY(entity IN $entities WHERE entity IN p.entities)
WITH p ORDER BY p.said_until DESC, p.key LIMIT $limit
RETURN p.key AS key, p.source AS source, p.content_hash AS content_hash, p.said_from AS said_from, p.said_until AS said_until,
       p.reading AS reading
