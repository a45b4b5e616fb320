// The facts of entities in which a question may be interested: of some relations, or figures.
// Parameters: $keys (entity keys), $objects (ids of the relations whose objects are asked for), $subjects (of those whose
//   subjects are), $figures (true: numbers said of the entities, whatever the relation), $limit (5000).
// Columns: of_subject (the entity is the subject), relation, label, answer, key (of the answer), type, kind, period, chunks, sentences, said,
//   confidence.
CALL () {
  UNWIND $keys AS key
  MATCH (e:Entity {key: key})-[f:FACT]->(o:Entity)
  WHERE f.relation IN $objects OR ($figures AND o.kind = 'number')
  RETURN f, o AS other, true AS of_subject LIMIT $limit
  UNION ALL
  UNWIND $keys AS key
  MATCH (e:Entity {key: key})<-[f:FACT]-(s:Entity)
  WHERE f.relation IN $subjects
  RETURN f, s AS other, false AS of_subject LIMIT $limit
}
RETURN of_subject, f.relation AS relation, f.label AS label, other.label AS answer, other.key AS key, other.type AS type, other.kind AS kind,
       f.period AS period, f.chunks AS chunks, f.sentences AS sentences,
       coalesce(f.said, [chunk IN f.chunks | f.label]) AS said, f.confidence AS confidence
ORDER BY f.key
