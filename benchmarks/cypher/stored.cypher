// How much a writer has stored, by what it calls its nodes and links.
// Parameters: $document ('Document'), $chunk ('Chunk'), $entity ('Entity'), $mentions ('MENTIONS'),
//   $other (['MENTIONS', 'PART_OF'], types of relationship that are no facts).
// Columns: documents, chunks, vectors, entities, mentions, facts.
RETURN COUNT { (n) WHERE $document IN labels(n) } AS documents,
       COUNT { (n) WHERE $chunk IN labels(n) } AS chunks,
       COUNT { (n) WHERE $chunk IN labels(n) AND size(n.embedding) = 384 } AS vectors,
       COUNT { (n) WHERE $entity IN labels(n) } AS entities,
       COUNT { ()-[r]->() WHERE type(r) = $mentions } AS mentions,
       COUNT { ()-[r]->() WHERE NOT type(r) IN $other } AS facts
