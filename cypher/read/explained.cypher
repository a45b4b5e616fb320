// Which names a text says to be short for others. An entity that more chunks name than the limit is not looked at.
// Parameters: $rows ({at: number, key: entity key of the longer name, said: texts such as "National League (NL)"}), $limit
//   (1000). Columns: at.
UNWIND $rows AS row
MATCH (e:Entity {key: row.key})
WHERE COUNT { (e)<-[:MENTIONS]-() } <= $limit AND EXISTS {
  (e)<-[:MENTIONS]-(c:Chunk) WHERE ANY(said IN row.said WHERE c.text CONTAINS said)
}
RETURN row.at AS at
