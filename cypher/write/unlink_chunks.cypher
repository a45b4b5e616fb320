// Forgets the order of a changed document's chunks before it is written anew (next_chunks).
// Parameters: $documents (document keys). Columns: none.
UNWIND $documents AS key
MATCH (d:Document {key: key})<-[:PART_OF]-(:Chunk)-[n:NEXT]->(:Chunk)
DELETE n
