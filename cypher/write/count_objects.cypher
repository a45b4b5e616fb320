// Counts the distinct objects of each (subject, relation) and puts the number on the group's facts.
// Parameters: $groups (sr keys). Columns: none.
UNWIND $groups AS sr
MATCH ()-[f:FACT {sr: sr}]->() USING INDEX SEEK f:FACT(sr)
WITH sr, collect(f) AS facts
UNWIND facts AS f
WITH f, size(facts) AS objects
WHERE f.objects <> objects
SET f.objects = objects
