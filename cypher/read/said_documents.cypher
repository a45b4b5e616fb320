// The documents of a corpus and when they were published.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: key, source, content_hash, published.
MATCH (d:Document)
WHERE $code < d.key < $until
RETURN d.key AS key, d.source AS source, d.content_hash AS content_hash, d.published AS published
ORDER BY key
