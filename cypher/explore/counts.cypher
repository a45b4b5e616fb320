// What is in the graph: nodes by label and corpus. Paste into Neo4j Browser.
// Parameters: none. Columns: corpus, kind, number.
MATCH (n:Document|Chunk|Entity|Question)
RETURN n.corpus AS corpus, head([label IN labels(n) WHERE NOT label STARTS WITH 'Corpus_']) AS kind, count(*) AS number
ORDER BY corpus, kind
