// Records decisions, or forgets those that are withdrawn; the class of a name is kept while another stands for it.
// Parameters: $rows ({key, entity: the name's entity key, null of a relation, properties}). Columns: name, type.
UNWIND $rows AS row
MERGE (d:Decision {key: row.key})
WITH d, row, d.type AS given
OPTIONAL MATCH (e:Entity {key: row.entity})
WITH d, row, CASE WHEN e IS NULL THEN given ELSE e.type END AS type
SET d = row.properties, d.type = type
WITH d, d.name AS name, d.state AS state, type
CALL (d, state) {
  WITH d, state WHERE state = 'withdrawn'
  DELETE d
}
RETURN name, type
