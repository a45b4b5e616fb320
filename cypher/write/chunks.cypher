// Writes chunks and hangs them on their document; the vector of a chunk that stays is kept.
// Parameters: $rows ({key, document, label (of the corpus: 'Corpus_v8dpfc'), properties}). Columns: none.
UNWIND $rows AS row
MATCH (d:Document {key: row.document})
MERGE (c:Chunk {key: row.key})
SET c += row.properties, c:$(row.label)
MERGE (c)-[:PART_OF]->(d)
