// Says that corpora are written by this transaction, and holds their locks until it ends.
// Parameters: $codes (their six-character codes). Columns: none.
MATCH (c:Corpus)
WHERE c.code IN $codes
SET c.last_write = datetime.realtime()
