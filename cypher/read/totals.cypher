// How much a corpus holds, as its last write has stored it; entities are those of facts, not what passages only mention.
// No row where no write has: in a new corpus, one of an earlier version, one removed in part (read/counted_totals).
// Parameters: $code (the corpus's code). Columns: documents, chunks, facts, entities.
MATCH (c:Corpus {code: $code})
WHERE c.facts IS NOT NULL
RETURN c.documents AS documents, c.chunks AS chunks, c.facts AS facts, c.entities AS entities
