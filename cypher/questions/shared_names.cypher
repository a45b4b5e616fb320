// The names that two things and more of a corpus share: "True Grit" beside "True Grit (1969 film)" and "True Grit (2010
// film)". It reads the labels that end in a bracket.
// Parameters: $code (the corpus's code). Columns: name.
MATCH (e:Entity {bracketed: $code})
WHERE e.label =~ '.+ \\([^()]{3,}\\)'
WITH e.label AS label, size(split(e.label, ' (')[-1]) + 2 AS bracket
WITH left(label, size(label) - bracket) AS name, count(DISTINCT label) AS things
WHERE things > 1
RETURN name
ORDER BY name
