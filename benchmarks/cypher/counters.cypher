// What the counters add up to.
// Parameters: none. Columns: objects, subjects, degrees.
MATCH ()-[f:FACT]->()
WITH sum(f.objects) AS objects, sum(f.subjects) AS subjects
MATCH (e:Entity)
RETURN objects, subjects, sum(e.degree) AS degrees
