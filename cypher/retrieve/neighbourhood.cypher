// The part of the graph around some passages: what they mention and state, and which passages mention the rarest of those
// names. Numbers and dates lead nowhere. All comes in one row: a client reads many rows in more time than this takes.
// Parameters: $around {chunks (keys), forms (of names whose passages are read too), linked (forms not to follow again),
//   hub (50: a name in more passages is not followed), step (1,000: mentions that are followed, those of rarer names first)}
// Columns: passages ({chunk, title, text, mentions ({form, label, surface}), facts ({subject, object: keys of forms,
//   said: the words of this passage})}), names ({form, passages: how many passages mention a name of this form}),
//   links ({form, chunks ([key, title])}): of $around.forms and of the names that are followed.
CALL () {
  UNWIND $around.forms AS form
  MATCH (:Entity {form: form})<-[:MENTIONS]-(c:Chunk)
  RETURN collect(DISTINCT c.key) AS naming
}
CALL (naming) {
  UNWIND naming + $around.chunks AS key
  WITH DISTINCT key
  MATCH (c:Chunk {key: key})
  WITH c, key ORDER BY key
  RETURN collect({
    chunk: key, title: c.title, text: c.text,
    mentions: COLLECT {
      MATCH (c)-[m:MENTIONS]->(e:Entity {kind: 'entity'})
      WITH m, e ORDER BY m.start, e.key
      RETURN {form: e.form, label: e.label, surface: m.surface}
    },
    facts: COLLECT {
      UNWIND c.fact_keys AS fact_key
      MATCH (s:Entity)-[f:FACT {key: fact_key}]->(o:Entity)
      WITH s, f, o ORDER BY f.key
      UNWIND [i IN range(0, size(f.chunks) - 1) WHERE f.chunks[i] = key | coalesce(f.said[i], f.label)] AS said
      RETURN DISTINCT {subject: s.form, said: said, object: o.form}
    }
  }) AS passages
}
CALL (passages) {
  UNWIND passages AS passage
  UNWIND passage.mentions AS mention
  WITH DISTINCT mention.form AS form
  MATCH (e:Entity {form: form})
  WITH form, sum(COUNT { (e)<-[:MENTIONS]-() }) AS number
  ORDER BY number, form
  RETURN collect({form: form, passages: number}) AS names
}
WITH passages, names, reduce(
  followed = {mentions: 0, forms: []},
  name IN [n IN names WHERE 2 <= n.passages <= $around.hub AND NOT n.form IN $around.linked]
  | {mentions: followed.mentions + name.passages,
     forms: followed.forms + CASE WHEN followed.mentions + name.passages <= $around.step THEN [name.form] ELSE [] END}
).forms AS followed
CALL (followed) {
  UNWIND $around.forms + followed AS form
  MATCH (:Entity {form: form})<-[:MENTIONS]-(c:Chunk)
  WITH DISTINCT form, c ORDER BY c.key
  WITH form, collect([c.key, c.title]) AS chunks ORDER BY form
  RETURN collect({form: form, chunks: chunks}) AS links
}
RETURN passages, names, links
