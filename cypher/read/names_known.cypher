// What is known of names: whether an entity has them, its class, and what is decided about them.
// Parameters: $rows ({name: id, entity: entity key, decision: decision key}). Columns: name, present, type, decision.
UNWIND $rows AS row
OPTIONAL MATCH (e:Entity {key: row.entity})
OPTIONAL MATCH (d:Decision {key: row.decision})
RETURN row.name AS name, e IS NOT NULL AS present, e.type AS type, d {.*} AS decision
