// Stores how much a corpus holds (read/counted_totals), in the transaction that has changed it. `mention_types` tells that
// its mentions have classes, which an earlier version did not store.
// Parameters: $corpus ('demo'), $totals ({documents, chunks, facts, entities}). Columns: none.
MATCH (c:Corpus {name: $corpus})
SET c += $totals, c.mention_types = true
