// The best chunks for a query text by the full-text index alone, nothing checked: the floor for bm25.
// Parameters: $index ('chunk_text'), $text ('grain port'), $k (10). Columns: key, text, score.
CALL db.index.fulltext.queryNodes($index, $text, {limit: $k}) YIELD node, score
RETURN node.key AS key, node.text AS text, score
