// Takes back what chunks state, all of it where no facts are named: the statements, and facts that nobody states any more.
// Parameters: $rows ({key: chunk key, facts: fact keys or null}). Columns: key, sr, ro (groups to recount), subject, object (entity
//   keys), gone (the chunks), written (of the statements that are left, where the fact has novel).
UNWIND $rows AS row
MATCH (c:Chunk {key: row.key})
UNWIND coalesce(row.facts, c.fact_keys) AS fact_key
WITH fact_key, collect(DISTINCT c.key) AS gone
MATCH (s:Entity)-[f:FACT {key: fact_key}]->(o:Entity)
WITH f, fact_key, gone, s.key AS subject, o.key AS object, f.sr AS sr, f.ro AS ro, f.chunks AS chunks, f.sentences AS sentences,
     coalesce(f.said, [chunk IN f.chunks | f.label]) AS said,
     coalesce(f.confidence, [chunk IN f.chunks | 1.0]) AS confidence,
     coalesce(f.cells, [chunk IN f.chunks | '']) AS cells, coalesce(f.written, [chunk IN f.chunks | '']) AS written,
     [i IN range(0, size(f.chunks) - 1) WHERE NOT f.chunks[i] IN gone] AS kept
SET f.chunks = [i IN kept | chunks[i]], f.sentences = [i IN kept | sentences[i]], f.said = [i IN kept | said[i]],
    f.cells = CASE WHEN ANY(i IN kept WHERE cells[i] <> '') THEN [i IN kept | cells[i]] END,
    f.written = CASE WHEN ANY(i IN kept WHERE written[i] <> '') THEN [i IN kept | written[i]] END,
    f.confidence = CASE WHEN ANY(i IN kept WHERE confidence[i] < 1) THEN [i IN kept | confidence[i]] END
WITH f, fact_key, gone, subject, object, sr, ro, size(kept) AS left,
     CASE WHEN f.novel IS NOT NULL AND size(kept) > 0 THEN [i IN kept | written[i]] END AS told
CALL (f, left) {
  WITH f, left WHERE left = 0
  DELETE f
}
RETURN fact_key AS key, sr, ro, subject, object, gone, told AS written
