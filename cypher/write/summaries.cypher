// Stores the summaries of documents that are still what was summarised.
// Parameters: $rows ({key, content_hash, summary, vector}). Columns: none.
UNWIND $rows AS row
MATCH (d:Document {key: row.key})
WHERE d.content_hash = row.content_hash
SET d.summary = row.summary
WITH d, row
CALL db.create.setNodeVectorProperty(d, 'summary_embedding', row.vector)
