// Conflicting facts: two values of a relation that has one value for nearly every other subject, with their sentences.
// Parameters: none; put your corpus for 'demo'. Columns: subject, relation, values ({value, published, sentence}).
MATCH (k:Corpus {name: 'demo'})
MATCH ()-[f:FACT]->()
WHERE f.sr > k.code AND f.sr < k.code + '~'
WITH k, f.relation AS relation, count(DISTINCT f.sr) AS subjects, count(DISTINCT CASE WHEN f.objects = 1 THEN f.sr END) AS one
WHERE subjects >= 4 AND one >= 0.7 * subjects
MATCH (s:Entity)-[f:FACT {relation: relation}]->(o:Entity)
WHERE f.sr > k.code AND f.sr < k.code + '~' AND f.objects > 1
MATCH (c:Chunk {key: f.chunks[0]})-[:PART_OF]->(d:Document)
WITH s, relation, o, f, d ORDER BY d.published, o.label
RETURN s.label AS subject, relation,
       collect({value: o.label, published: toString(d.published), sentence: f.sentences[0]}) AS values
ORDER BY relation, subject
