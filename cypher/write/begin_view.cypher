// Names a view, a corpus that holds what the documents of another said on a day; it is not complete until write/end_view.
// Parameters: $corpus ('demo@2031-05-01'), $code (its six-character code), $of ('demo'), $day. Columns: none.
MERGE (c:Corpus {name: $corpus})
SET c.code = $code, c.view_of = $of, c.as_of = $day
REMOVE c.holds
