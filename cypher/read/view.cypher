// What a view says of itself: which corpus it shows, on which day, and the last write of that corpus that it holds.
// Parameters: $corpus ('demo@2031-05-01'). Columns: view_of (null: it is no view), holds (null: it is not complete).
MATCH (c:Corpus {name: $corpus})
RETURN c.view_of AS view_of, c.holds AS holds
