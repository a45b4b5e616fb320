// star of three arms b→x, b→y, b→z, pivot asked: x, y, z and the three relations are
// named, exactly one b meets the three conditions. The arms are in order of relation.
// each_needed: no two of the conditions alone have one answer. Every proof walks the smallest group of its conditions
// up to the first other entity that meets them all, asked by its group keys, so nothing is held in memory.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], fact: ['key'], entity: ['key']}), $limit (1000
//   groups a range), $rows (true; false: one record for all), $max_pivot_degree (20), $cross_chunk (true),
//   $cross_document (false), $each_needed (true), $relation (null), $type (null), $published_since (null),
//   $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}); a fact of a reading is three lists of the properties that
//   $walk names: its own, its subject's, its object's.
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH ()-[f:FACT]->() USING INDEX SEEK f:FACT(ro)
  WHERE from <= f.ro < until AND NOT f.relation STARTS WITH 'open:' AND (NOT $each_needed OR f.subjects > 1)
  WITH DISTINCT f.ro AS anchor
  ORDER BY anchor
  CALL (anchor) {
    MATCH (x:Entity)<-[f:FACT {ro: anchor}]-(b:Entity) USING INDEX SEEK f:FACT(ro)
    WHERE b.degree <= $max_pivot_degree AND x <> b
    MATCH (b)-[g:FACT]->(y:Entity)
    WHERE g.relation > f.relation AND NOT g.relation STARTS WITH 'open:'
      AND y <> b AND y <> x AND (NOT $each_needed OR g.subjects > 1)
    MATCH (b)-[h:FACT]->(z:Entity)
    WHERE h.relation > g.relation AND NOT h.relation STARTS WITH 'open:'
      AND z <> b AND z <> x AND z <> y AND (NOT $each_needed OR h.subjects > 1)
      AND ($relation IS NULL OR $relation IN [f.relation, g.relation, h.relation])
      AND ($type IS NULL OR x.type = $type OR y.type = $type OR z.type = $type OR b.type = $type)
      AND (NOT $novel OR (f.novel AND g.novel AND h.novel))
      AND (NOT $cross_chunk OR NONE(k IN f.chunks WHERE k IN g.chunks AND k IN h.chunks))
      AND (NOT $cross_document OR NONE(k IN f.chunks WHERE ANY(j IN g.chunks WHERE left(j, 20) = left(k, 20))
                                                       AND ANY(j IN h.chunks WHERE left(j, 20) = left(k, 20))))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(fact IN [f, g, h] WHERE EXISTS {
        UNWIND fact.chunks AS k
        MATCH (d:Document {key: left(k, 20)})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    WITH x, y, z, b, f, g, h,
         CASE WHEN f.subjects <= g.subjects AND f.subjects <= h.subjects THEN [f, g, h]
              WHEN g.subjects <= h.subjects THEN [g, h, f] ELSE [h, f, g] END AS all_three,
         [pair IN [[f, g], [g, h], [h, f]] |
            CASE WHEN pair[0].subjects <= pair[1].subjects THEN pair ELSE reverse(pair) END]
           AS pairs
    WHERE NOT $each_needed OR ALL(pair IN pairs WHERE EXISTS {
      MATCH (other)-[of:FACT {ro: pair[0].ro}]->() USING INDEX SEEK of:FACT(ro)
      WHERE other <> b
      MATCH ()-[also:FACT {sr: other.key + substring(pair[1].sr, 20)}]->() USING INDEX SEEK also:FACT(sr)
      WHERE endNode(also) = endNode(pair[1])
    })
    WITH x, y, z, b, f, g, h, all_three
    WHERE NOT EXISTS {
      WITH b, all_three[0] AS one, all_three[1] AS two, all_three[2] AS three
      MATCH (other)-[of:FACT {ro: one.ro}]->() USING INDEX SEEK of:FACT(ro)
      WHERE other <> b
      MATCH ()-[also:FACT {sr: other.key + substring(two.sr, 20)}]->() USING INDEX SEEK also:FACT(sr)
      WHERE endNode(also) = endNode(two)
      MATCH ()-[too:FACT {sr: other.key + substring(three.sr, 20)}]->() USING INDEX SEEK too:FACT(sr)
      WHERE endNode(too) = endNode(three)
    }
    RETURN count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: 'pivot', relations: [f.relation, g.relation, h.relation],
      named: [x {.key, .label}, y {.key, .label}, z {.key, .label}], answers: [b {.key, .label}],
      readings: [{pivots: [b.label], facts: [step IN [[f, b, x], [g, b, y], [h, b, z]] |
        [[name IN $walk.fact | step[0][name]], [name IN $walk.entity | step[1][name]],
         [name IN $walk.entity | step[2][name]]]
      ]}]
    } END) AS rows
  }
  WITH anchor, n, rows WHERE n > 0
  RETURN anchor, n, rows
  ORDER BY anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
