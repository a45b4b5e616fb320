// The names that are decided to be these.
// Parameters: $targets (decision keys). Columns: decision.
UNWIND $targets AS target
MATCH (d:Decision {target: target})
WHERE d.state = 'merged'
RETURN d {.*} AS decision
ORDER BY d.name
