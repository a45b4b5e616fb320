// Those of some documents of which former versions are kept, or on which questions rest, or that questions quote.
// Parameters: $code (the corpus's code), $until ($code + '~'), $keys (document keys of this corpus). Columns: key.
UNWIND $keys AS key
WITH key
WHERE EXISTS { MATCH (p:PastDocument) WHERE key < p.key < key + '~' }
  OR EXISTS {
    MATCH (q:Question)
    WHERE $code < q.key < $until AND (key IN q.document_keys OR q.rivals CONTAINS key)
  }
RETURN key
