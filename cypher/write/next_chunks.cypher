// Links each chunk to the one after it.
// Parameters: $rows ({key, next}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.key})
MATCH (n:Chunk {key: row.next})
MERGE (c)-[:NEXT]->(n)
