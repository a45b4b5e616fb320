// pluri_hop: what the documents of one type and one value of their metadata (or year of publication) say by one
// relation, so that every one of them has to be read; a document of that type is outside, as a distractor.
// Eligible: all chunks of these documents were extracted, at least three of them state the relation, at least two
// subjects have it and each has one object there. list: every subject with its object; count: how many subjects; min,
// max: the one subject with the smallest, largest object, all being numbers of one unit (none counts as one).
// anchor: the smallest document key of the scope, then the relation's code.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}]}), $limit (1000 groups a range),
//   $rows (true; false: one record for all), $asked (null for all, 'list', 'count', 'min', 'max'),
//   $relation (null), $type (null), $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH (d:Document)
  WHERE left(from, 6) <= d.key < left(from, 6) + '~'
  WITH d.doc_type AS doc_type, collect(d) AS typed
  UNWIND typed AS d
  UNWIND [name IN keys(d) WHERE name STARTS WITH 'metadata_' | [substring(name, 9), d[name]]]
         + CASE WHEN d.published IS NULL THEN [] ELSE [['published', d.published.year]] END AS property
  WITH doc_type, size(typed) AS documents_of_type, property, min(d.key) AS first, collect(d) AS documents
  WHERE 3 <= size(documents) < documents_of_type AND left(from, 20) <= first < until
    AND NOT EXISTS {
      UNWIND documents AS d
      MATCH (d)<-[:PART_OF]-(c:Chunk)
      WHERE NOT coalesce(c.extracted, false)
    }
  WITH first, collect({doc_type: doc_type, property: property, documents: documents}) AS scopes
  ORDER BY first
  CALL (from, until, first, scopes) {
    UNWIND range(0, size(scopes) - 1) AS i
    UNWIND scopes[i].documents AS d
    MATCH (d)<-[:PART_OF]-(c:Chunk)
    UNWIND c.fact_keys AS key
    MATCH (s:Entity)-[f:FACT {key: key}]->(o:Entity)
    WHERE from <= first + right(f.sr, 8) < until AND NOT f.relation STARTS WITH 'open:'
      AND ($relation IS NULL OR f.relation = $relation)
    WITH i, f, s, o, collect(DISTINCT d.key) AS documents
    ORDER BY s.label, s.key
    WITH i, first + right(f.sr, 8) AS anchor, f.relation AS relation, count(DISTINCT s) AS subjects,
         collect(DISTINCT coalesce(o.unit, '')) AS units, collect({f: f, s: s, o: o, documents: documents}) AS facts
    WHERE 2 <= subjects AND subjects = size(facts)
      AND NONE(x IN facts WHERE x.s = x.o)
      AND 3 <= COUNT { UNWIND facts AS x UNWIND x.documents AS document RETURN DISTINCT document }
      AND ($type IS NULL OR ANY(x IN facts WHERE $type IN [x.s.type, x.o.type]))
      AND (NOT $novel OR ALL(x IN facts WHERE x.f.novel))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(x IN facts WHERE EXISTS {
        UNWIND x.documents AS k
        MATCH (d:Document {key: k})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    WITH scopes[i] AS scope, anchor, relation, facts,
         CASE WHEN size(units) = 1 AND ALL(x IN facts WHERE x.o.kind = 'number' AND x.o.value = toFloat(x.o.value))
           THEN COLLECT { UNWIND facts AS x WITH x ORDER BY x.o.value RETURN x }
         END AS sorted
    UNWIND ['list', 'count', 'max', 'min'] AS asked
    WITH scope, anchor, relation, facts, asked, CASE asked
      WHEN 'list' THEN [x IN facts | {key: null, label: x.s.label + ': ' + x.o.label}]
      WHEN 'count' THEN [{key: null, label: toString(size(facts))}]
      WHEN 'min' THEN [x IN sorted[..1] WHERE x.o.value < sorted[1].o.value | {key: x.s.key, label: x.s.label}]
      ELSE [x IN sorted[-1..] WHERE x.o.value > sorted[-2].o.value | {key: x.s.key, label: x.s.label}]
    END AS answers
    WHERE size(answers) > 0 AND ($asked IS NULL OR asked = $asked)
    RETURN anchor, count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: asked, relations: [relation], answers: answers,
      named: [name IN [scope.doc_type, scope.property[0], toString(scope.property[1])] | {key: null, label: name}],
      readings: [{pivots: [], facts: [x IN facts | {
        key: x.f.key, property: x.f.relation, relation: x.f.label, period: x.f.period,
        chunks: [k IN x.f.chunks WHERE left(k, 20) IN x.documents],
        sentences: [j IN range(0, size(x.f.chunks) - 1) WHERE left(x.f.chunks[j], 20) IN x.documents
                    | x.f.sentences[j]],
        cells: [j IN range(0, size(x.f.chunks) - 1) WHERE left(x.f.chunks[j], 20) IN x.documents
                | coalesce(x.f.cells[j], '')],
        subject: x.s.label, subject_type: x.s.type,
        object: x.o.label, object_type: x.o.type, object_kind: x.o.kind}]}]
    } END) AS rows
    ORDER BY anchor
  }
  RETURN anchor, n, rows
  ORDER BY first, anchor LIMIT $limit
}
WITH CASE WHEN $rows THEN anchor END AS listed, max(anchor) AS anchor, count(*) AS groups, sum(n) AS n,
     head(collect(rows)) AS rows
RETURN anchor, groups, n, rows
ORDER BY anchor
