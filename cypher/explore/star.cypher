// Stars: b alone has its relation to a, and one object c; a is named, c is asked. Shows as a graph in Neo4j Browser.
// Parameters: none; put your corpus for 'demo'. Columns: path (from the named entity to the answer).
MATCH (k:Corpus {name: 'demo'})
MATCH path = (a)<-[f:FACT]-(b)-[g:FACT]->(c)
WHERE k.code < f.ro < k.code + '~' AND f.subjects = 1 AND g.objects = 1
  AND f.relation <> g.relation AND a <> b AND b <> c AND c <> a AND b.degree <= 20
  AND NOT f.relation STARTS WITH 'open:' AND NOT g.relation STARTS WITH 'open:'
  AND NONE(chunk IN f.chunks WHERE chunk IN g.chunks)
RETURN path
LIMIT 25
