// One question of a corpus.
// Parameters: $key (a question's id), $corpus ('demo'). Columns: question (properties), uses (number of USES).
MATCH (q:Question {key: $key, corpus: $corpus})
RETURN properties(q) AS question, COUNT { (q)-[:USES]->() } AS uses
