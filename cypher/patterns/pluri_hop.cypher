// pluri_hop: what the documents of one type and one or two of their properties say by one relation, so that every one
// of them has to be read; a document of that type is outside, as a distractor. A property is a value of their metadata
// (or the year of publication), or a range of at most $max_years years, each end the year of a document. Of two
// properties neither can be left out, and at most one has years.
// Eligible: all chunks of these documents were extracted, at least three of them state the relation. list, count, min,
// max: at least two subjects have it and each has one object there. list: every subject with its object; count: how
// many subjects; min, max: the one subject with the smallest, largest object, all being numbers of one unit (none
// counts as one). most, often: at least two subjects have one object, an entity, by at least three documents. most: the
// one subject of which most documents, two or more, say so; often: those of which three or more do, others fewer.
// rose, fell: of a range of years, each of which has one number of a subject, all of one unit and none of a period of its
// own, the years in which it is larger, smaller than in the year before.
// anchor: the smallest document key of the scope, then the relation's code.
// Parameters: $walk ({ranges: [{from: $code, until: $code + '~'}], asked: null}; asked: null for all, 'list', 'count',
//   'min', 'max', 'most', 'often', 'rose', 'fell'), $limit (1000 groups a range), $rows (true; false: one record for all),
//   $max_years (1: no ranges), $max_properties (1 or 2), $relation (null), $type (null),
//   $published_since (null), $published_until (null), $novel (false)
// Columns: anchor (group key, ascending; the last of all), groups (how many), n (their rows),
//   rows ({asked, relations, named, answers, readings}).
UNWIND $walk.ranges AS range
WITH range.from AS from, range.until AS until
CALL (from, until) {
  MATCH (d:Document)
  WHERE left(from, 6) <= d.key < left(from, 6) + '~'
  WITH d.doc_type AS doc_type, collect(d) AS typed
  CALL (typed) {
    UNWIND typed AS d
    UNWIND [name IN keys(d) WHERE name STARTS WITH 'metadata_' | [substring(name, 9), d[name]]]
           + CASE WHEN d.published IS NULL THEN [] ELSE [['published', d.published.year]] END AS property
    WITH property[0] AS name, property[1] AS value, collect(d) AS documents
    WITH name, collect({name: name, value: toString(value), documents: documents,
      ends: CASE WHEN value IS :: INTEGER NOT NULL AND 1000 <= value <= 2999 THEN [value, value] END}) AS values
    UNWIND values + reduce(spans = [], a IN [v IN values WHERE v.ends IS NOT NULL] | spans
      + [b IN values WHERE a.ends[0] < b.ends[0] < a.ends[0] + $max_years | {
          name: name, value: 'from ' + a.value + ' to ' + b.value, ends: [a.ends[0], b.ends[0]], documents: reduce(
            documents = [], v IN [v IN values WHERE a.ends[0] <= v.ends[0] <= b.ends[0]] | documents + v.documents)}])
      AS property
    RETURN collect(property) AS properties
  }
  CALL (properties) {
    UNWIND CASE WHEN $max_properties > 1 THEN range(0, size(properties) - 1) ELSE [] END AS i
    UNWIND properties[i].documents AS d
    WITH d, collect(i) AS own
    UNWIND own AS i
    UNWIND own AS j
    WITH properties[i] AS one, properties[j] AS two, d
    WHERE one.name < two.name AND (one.ends IS NULL OR two.ends IS NULL)
    WITH one, two, collect(d) AS documents
    WHERE size(documents) < size(one.documents) AND size(documents) < size(two.documents)
    RETURN collect({properties: [one, two], documents: documents}) AS pairs
  }
  UNWIND [property IN properties | {properties: [property], documents: property.documents}] + pairs AS scope
  WITH doc_type, size(typed) AS documents_of_type, scope.properties AS properties, scope.documents AS documents
  WHERE 3 <= size(documents) < documents_of_type
    AND ALL(property IN properties WHERE ALL(end IN coalesce(property.ends, []) WHERE ANY(d IN documents
      WHERE CASE property.name WHEN 'published' THEN d.published.year ELSE d['metadata_' + property.name] END = end)))
  WITH doc_type, properties, documents,
       reduce(first = '~', d IN documents | CASE WHEN d.key < first THEN d.key ELSE first END) AS first
  WHERE left(from, 20) <= first < until
    AND NOT EXISTS {
      UNWIND documents AS d
      MATCH (d)<-[:PART_OF]-(c:Chunk)
      WHERE NOT coalesce(c.extracted, false)
    }
  WITH first, collect({doc_type: doc_type, properties: properties, documents: documents}) AS scopes
  ORDER BY first
  CALL (from, until, first, scopes) {
    UNWIND range(0, size(scopes) - 1) AS i
    WITH i, head([p IN scopes[i].properties WHERE p.ends[0] < p.ends[1]]) AS years
    UNWIND scopes[i].documents AS d
    MATCH (d)<-[:PART_OF]-(c:Chunk)
    UNWIND c.fact_keys AS key
    MATCH (s:Entity)-[f:FACT {key: key}]->(o:Entity)
    WHERE from <= first + right(f.sr, 8) < until AND NOT f.relation STARTS WITH 'open:'
      AND ($relation IS NULL OR f.relation = $relation)
    WITH i, years, f, s, o, collect(DISTINCT d.key) AS documents, collect(DISTINCT
      CASE years.name WHEN 'published' THEN d.published.year ELSE d['metadata_' + years.name] END) AS stated_in
    ORDER BY s.label, s.key, o.label, o.key
    WITH i, coalesce(years.ends, [0, 0]) AS ends, first + right(f.sr, 8) AS anchor, f.relation AS relation,
         collect({f: f, s: s, o: o, documents: documents, years: stated_in}) AS stated
    CALL (stated, ends) {
      WITH stated AS facts, [x IN stated | coalesce(x.o.unit, '')] AS units
      WHERE 2 <= size(facts) AND size(facts) = COUNT { UNWIND facts AS x RETURN DISTINCT x.s }
      WITH facts, CASE
        WHEN ALL(unit IN units WHERE unit = units[0])
          AND ALL(x IN facts WHERE x.o.kind = 'number' AND x.o.value = toFloat(x.o.value))
          THEN COLLECT { UNWIND facts AS x WITH x ORDER BY x.o.value RETURN x }
      END AS sorted
      UNWIND ['list', 'count', 'max', 'min'] AS asked
      RETURN null AS said, facts, asked, CASE asked
        WHEN 'list' THEN [x IN facts | {key: null, label: x.s.label + ': ' + x.o.label}]
        WHEN 'count' THEN [{key: null, label: toString(size(facts))}]
        WHEN 'min' THEN [x IN sorted[..1] WHERE x.o.value < sorted[1].o.value | {key: x.s.key, label: x.s.label}]
        ELSE [x IN sorted[-1..] WHERE x.o.value > sorted[-2].o.value | {key: x.s.key, label: x.s.label}]
      END AS answers
      UNION ALL
      UNWIND stated AS x
      WITH x WHERE x.o.kind = 'entity'
      WITH x.o AS object, collect(x) AS facts, max(size(x.documents)) AS most
      WHERE size(facts) > 1 AND most > 1
      UNWIND ['most', 'often'] AS asked
      WITH object, facts, asked, [x IN facts WHERE size(x.documents) >= CASE asked WHEN 'most' THEN most ELSE 3 END
        | {key: x.s.key, label: x.s.label}] AS answers
      WHERE size(answers) < CASE asked WHEN 'most' THEN 2 ELSE size(facts) END
      RETURN object AS said, facts, asked, answers
      UNION ALL
      UNWIND stated AS x
      WITH x WHERE ends[0] < ends[1] AND x.f.period IS NULL
      WITH x.s AS subject, collect(x) AS facts
      WITH subject, facts, [year IN range(ends[0], ends[1]) | [x IN facts WHERE year IN x.years | x.o]] AS series
      WHERE ALL(at IN series WHERE size(at) = 1 AND at[0].kind = 'number' AND at[0].value = toFloat(at[0].value)
        AND coalesce(at[0].unit, '') = coalesce(series[0][0].unit, ''))
      UNWIND [['rose', 1], ['fell', -1]] AS way
      RETURN subject AS said, facts, way[0] AS asked, [i IN range(1, size(series) - 1)
        WHERE (series[i][0].value - series[i - 1][0].value) * way[1] > 0 | {key: null, label: toString(ends[0] + i)}]
        AS answers
    }
    WITH scopes[i] AS scope, anchor, relation, said, facts, asked, answers
    WHERE size(answers) > 0 AND asked = coalesce($walk.asked, asked)
      AND NONE(x IN facts WHERE x.s = x.o)
      AND 3 <= COUNT { UNWIND facts AS x UNWIND x.documents AS document RETURN DISTINCT document }
      AND ($type IS NULL OR ANY(x IN facts WHERE $type IN [x.s.type, x.o.type]))
      AND (NOT $novel OR ALL(x IN facts WHERE x.f.novel))
      AND (coalesce($published_since, $published_until) IS NULL OR ALL(x IN facts WHERE EXISTS {
        UNWIND x.documents AS k
        MATCH (d:Document {key: k})
        WHERE coalesce($published_since, d.published) <= d.published <= coalesce($published_until, d.published)
      }))
    RETURN anchor, count(*) AS n, collect(CASE WHEN $rows THEN {
      asked: asked, relations: [relation], answers: answers,
      named: [name IN reduce(names = [scope.doc_type], p IN scope.properties | names + [p.name, p.value])
              | {key: null, label: name}] + [e IN [said] WHERE e IS NOT NULL | {key: e.key, label: e.label}],
      readings: [{pivots: [], facts: [x IN facts | {
        key: x.f.key, property: x.f.relation, relation: x.f.label, period: x.f.period,
        chunks: [k IN x.f.chunks WHERE left(k, 20) IN x.documents],
        sentences: [j IN range(0, size(x.f.chunks) - 1) WHERE left(x.f.chunks[j], 20) IN x.documents
                    | x.f.sentences[j]],
        cells: [j IN range(0, size(x.f.chunks) - 1) WHERE left(x.f.chunks[j], 20) IN x.documents
                | coalesce(x.f.cells[j], '')],
        confidence: [j IN range(0, size(x.f.chunks) - 1) WHERE left(x.f.chunks[j], 20) IN x.documents
                     | coalesce(x.f.confidence[j], 1.0)],
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
