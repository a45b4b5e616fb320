// Counts the distinct subjects of each (relation, object) and puts the number on the group's facts.
// Parameters: $groups (ro keys). Columns: none.
UNWIND $groups AS ro
MATCH ()-[f:FACT {ro: ro}]->() USING INDEX SEEK f:FACT(ro)
WITH ro, collect(f) AS facts
UNWIND facts AS f
WITH f, size(facts) AS subjects
WHERE f.subjects <> subjects
SET f.subjects = subjects
