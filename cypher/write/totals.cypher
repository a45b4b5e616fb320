// Stores how much a corpus holds (read/counted_totals), in the transaction that has changed it.
// Parameters: $corpus ('demo'), $totals ({documents, chunks, facts, entities}). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c += $totals
