// Vector search over the chunks of one corpus by cosine similarity, within a time; other corpora cost it nothing. A label
// cannot be a parameter: kgservice puts the corpus's own in place of the demo's.
// Quantized to bytes: to bits, Neo4j's default, it finds 85 of 100 neighbours, to bytes 99 (100,000 vectors).
// Parameters: $name ('chunk_vector_v8dpfc'), $dimension (384). Columns: none.
CYPHER 25
CREATE VECTOR INDEX $name IF NOT EXISTS FOR (c:Corpus_v8dpfc) ON (c.embedding) WITH [c.published]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'SCALAR'
}}
