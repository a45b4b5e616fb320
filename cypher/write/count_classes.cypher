// Gives entities the class that most of the passages give them, of as many the alphabetically first. Where what came is of the
// class that an entity has and what went is not, it stays, so that the mentions of a hub are seldom counted.
// Parameters: $rows ({key, given: classes of mentions that came, taken: of those that went}). Columns: key (of an entity that
//   gets another class).
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
WHERE e.type IS NULL OR e.type IN row.taken OR ANY(type IN row.given WHERE type <> e.type)
WITH e, head(COLLECT {
  MATCH (e)<-[m:MENTIONS]-()
  WHERE m.type IS NOT NULL
  WITH m.type AS type, count(*) AS passages ORDER BY passages DESC, type LIMIT 1
  RETURN type
}) AS type
WHERE coalesce(e.type, '') <> coalesce(type, '')
SET e.type = type
RETURN e.key AS key
