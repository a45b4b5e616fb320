// Records decisions, or forgets those that are withdrawn; the class of a name is kept while another stands for it.
// One that is withdrawn is not set first: Neo4j 2026 finds what a transaction has set and deleted in the index still.
// Parameters: $rows ({key, entity: the name's entity key, null of a relation, properties}). Columns: none.
UNWIND $rows AS row
MERGE (d:Decision {key: row.key})
WITH d, row, d.type AS given
OPTIONAL MATCH (e:Entity {key: row.entity})
WITH d, row, CASE WHEN e IS NULL THEN given ELSE e.type END AS type
FOREACH (kept IN CASE WHEN row.properties.state = 'withdrawn' THEN [] ELSE [d] END |
  SET kept = row.properties, kept.type = type)
FOREACH (gone IN CASE WHEN row.properties.state = 'withdrawn' THEN [d] ELSE [] END | DELETE gone)
