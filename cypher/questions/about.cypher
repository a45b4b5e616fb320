// The questions of which the second look searches the text for names of these forms, and which it has not let go of for
// another reason than the text: those that name an entity of the form, and those that lead over one. Of no bridge the
// degree is above the limit; a question is linked to every chunk that states one of its facts.
// Parameters: $forms (form keys), $max_pivot_degree (20), $reasons (those of rejected questions that are meant).
// Columns: key, pattern, asked, beside, reason, facts and rivals (JSON), answers,
//   groups ([sr, ro] of the fact of a single question, else []).
UNWIND $forms AS form
MATCH (e:Entity {form: form})
CALL (e, form) {
  MATCH (e)<-[:USES]-(q:Question)
  WHERE form IN q.looked
  RETURN q
  UNION
  WITH e, form WHERE e.degree <= $max_pivot_degree
  MATCH (e)-[f:FACT]-()
  UNWIND f.chunks AS stating
  MATCH (:Chunk {key: stating})<-[:USES]-(q:Question)
  WHERE form IN q.looked
  RETURN q
}
WITH DISTINCT q
WHERE q.state = 'active' OR q.state = 'rejected' AND q.reason IN $reasons
OPTIONAL MATCH ()-[f:FACT {key: CASE q.pattern WHEN 'single' THEN q.fact_keys[0] END}]->()
RETURN q.key AS key, q.pattern AS pattern, q.asked AS asked, q.beside AS beside, q.reason AS reason, q.facts AS facts,
       q.answers AS answers, q.rivals AS rivals, CASE WHEN f IS NULL THEN [] ELSE [f.sr, f.ro] END AS groups
