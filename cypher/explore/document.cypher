// What one document states: its passages and the things they name. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo'; the document is the last one published. Columns: path.
MATCH (k:Corpus {name: 'demo'})
MATCH (d:Document)
WHERE d.key > k.code AND d.key < k.code + '~'
WITH d ORDER BY coalesce(d.published, date('0001-01-01')) DESC, d.key LIMIT 1
MATCH path = (d)<-[:PART_OF]-(:Chunk)-[:MENTIONS]->(:Entity)
RETURN path
LIMIT 60
