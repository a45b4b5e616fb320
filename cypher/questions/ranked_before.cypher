// The last questions of a pattern before a rank that pass everything but perhaps their share and come from a source, from
// the last one backwards.
// Parameters: $after, $until (code + ' ' + pattern + ' ' + place in the order), $source ('e0…'), $limit (20).
// Columns: share (as in questions/passed), state ('active', else the reason).
MATCH (q:Question)
WHERE q.rank >= $after AND q.rank < $until AND $source IN split(split(q.share, ' ')[4], ',')
RETURN q.share AS share, CASE q.state WHEN 'active' THEN q.state ELSE q.reason END AS state
ORDER BY q.rank DESC LIMIT $limit
