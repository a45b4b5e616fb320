// Which names a text says to be short for others, where no text explains them otherwise. Entities that more chunks name than
// the limit are not looked at.
// Parameters: $rows ({at: number, short, longer: entity keys, said: texts such as "National League (NL)", marks: what an
//   explanation has, "(NL)" and "NL ("}), $limit (1000). Columns: at.
UNWIND $rows AS row
MATCH (s:Entity {key: row.short})
MATCH (e:Entity {key: row.longer})
WHERE COUNT { (e)<-[:MENTIONS]-() } <= $limit AND COUNT { (s)<-[:MENTIONS]-() } <= $limit
  AND EXISTS { (e)<-[:MENTIONS]-(c:Chunk) WHERE ANY(said IN row.said WHERE c.text CONTAINS said) }
  AND NOT EXISTS {
    (s)<-[:MENTIONS]-(c:Chunk)
    WHERE ANY(mark IN row.marks WHERE c.text CONTAINS mark) AND NOT ANY(said IN row.said WHERE c.text CONTAINS said)
  }
RETURN row.at AS at
