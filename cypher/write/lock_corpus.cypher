// Names the corpus and holds its lock until the transaction ends: writers of one corpus take turns, so that counters
// are counted on what is committed and no two writers can deadlock. The lock itself leaves nothing behind; `last_write` tells
// copies of the database that they lag.
// Parameters: $corpus ('demo'), $code (its six-character code), $text_index (its own full-text index, null: none or as
//   before). Columns: asked (whether questions are made of it),
//   decisions (the version of what is decided about its names, 0: nothing), totals (what it holds, null where no write has
//   stored that), view_of (the corpus that it shows as of a day; null: it is no view).
MERGE (c:Corpus {name: $corpus})
SET c.code = $code, c.locked = true, c.last_write = datetime.realtime(),
  c.text_index = coalesce($text_index, c.text_index)
REMOVE c.locked
RETURN c.question_plan IS NOT NULL AS asked, coalesce(c.decisions, 0) AS decisions,
  CASE WHEN c.facts IS NOT NULL THEN c {.documents, .chunks, .facts, .entities} END AS totals,
  c.view_of AS view_of
