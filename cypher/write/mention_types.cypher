// Gives the mentions of an older database the class of what they name: which passage gave it was not stored.
// Parameters: $code (the corpus's code), $until ($code + '~'). Columns: none.
MATCH (e:Entity)
WHERE $code < e.key < $until AND e.type IS NOT NULL
CALL (e) {
  MATCH (e)<-[m:MENTIONS]-()
  WHERE m.names IS NULL OR e.id IN m.names
  SET m.type = e.type
  WITH e, count(*) AS passages
  SET e.classes = [e.type], e.class_passages = [passages]
} IN TRANSACTIONS OF 1000 ROWS
