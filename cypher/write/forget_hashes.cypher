// Forgets what the documents of a corpus were read from, before their chunks go: should the removal be interrupted, the next
// load takes none of them for unchanged, nor for a version that was said.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: none.
MATCH (d:Document)
WHERE d.key > $code AND d.key < $until
CALL (d) {
  SET d.content_hash = ''
} IN TRANSACTIONS OF 2000 ROWS
