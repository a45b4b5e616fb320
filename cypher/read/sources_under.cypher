// What the loaders called the documents of a corpus below a folder.
// Parameters: $code (corpus code), $until ($code + '~'), $folder ('reports/'). Columns: source.
MATCH (d:Document)
WHERE d.key > $code AND d.key < $until AND d.source STARTS WITH $folder
RETURN d.source AS source
ORDER BY source
