// The names in blocks of names spelt alike, of each at most so many.
// Parameters: $blocks (what keys of a block begin with, 20 characters), $limit (200). Columns: block, names (ids).
UNWIND $blocks AS block
RETURN block, COLLECT {
  MATCH (s:Spelling) WHERE block < s.key < block + '~'
  RETURN s.name ORDER BY s.key LIMIT $limit
} AS names
