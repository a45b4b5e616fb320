// How many chunks a corpus has.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: chunks.
MATCH (c:Chunk) WHERE $code < c.key < $until
RETURN count(c) AS chunks
