// The documents of a corpus whose loader's name, title or address is one of these.
// Parameters: $names (['Isvik', 'https://en.wikipedia.org/wiki/Isvik']), $code (the corpus's code), $until ($code + '~').
// Columns: key, source, title, url.
MATCH (d:Document)
WHERE $code < d.key < $until AND (d.source IN $names OR d.title IN $names OR d.url IN $names)
RETURN d.key AS key, d.source AS source, d.title AS title, d.url AS url
ORDER BY key
