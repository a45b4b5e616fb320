// When documents were published, and until when their last former versions were said.
// Parameters: $keys (document keys). Columns: key, source, published, ended (null: there is no former version).
UNWIND $keys AS key
MATCH (d:Document {key: key})
OPTIONAL MATCH (p:PastDocument)
WHERE p.key STARTS WITH key
WITH d, max(p.said_until) AS ended
RETURN d.key AS key, d.source AS source, d.published AS published, ended
