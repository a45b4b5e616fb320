// Writes facts with their statements. A fact that was there already and has other statements comes back, to be merged
// by write/statements.
// Parameters: $rows ({key, subject, object, properties}). Columns: key, chunks, sentences (as stored).
UNWIND $rows AS row
MATCH (s:Entity {key: row.subject})
MATCH (o:Entity {key: row.object})
MERGE (s)-[f:FACT {key: row.key}]->(o)
ON CREATE SET f = row.properties
WITH f, row.properties AS given
WHERE f.chunks <> given.chunks OR f.sentences <> given.sentences
RETURN f.key AS key, f.chunks AS chunks, f.sentences AS sentences
