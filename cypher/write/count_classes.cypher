// Counts how many passages give entities which class.
// Parameters: $entities (keys). Columns: none.
UNWIND $entities AS key
MATCH (e:Entity {key: key})
WITH e, COLLECT {
  MATCH (e)<-[m:MENTIONS]-()
  WHERE m.type IS NOT NULL
  WITH m.type AS type, count(*) AS passages ORDER BY type
  RETURN {type: type, passages: passages}
} AS given
SET e.classes = CASE WHEN given <> [] THEN [one IN given | one.type] END,
    e.class_passages = CASE WHEN given <> [] THEN [one IN given | one.passages] END
