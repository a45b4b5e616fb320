// Sets which facts chunks state and forgets what they mention, before both are written anew under other decisions.
// Parameters: $rows ({key, facts: fact keys}). Columns: none.
UNWIND $rows AS row
MATCH (c:Chunk {key: row.key})
SET c.fact_keys = row.facts
WITH c
MATCH (c)-[m:MENTIONS]->(:Entity)
DELETE m
