// Vector search over chunks by cosine similarity, within a corpus and a time: both are in the index.
// Quantized to bytes: to bits, Neo4j's default, it finds 85 of 100 neighbours, to bytes 99 (100,000 vectors).
// Parameters: $dimension (384). Columns: none.
CYPHER 25
CREATE VECTOR INDEX chunk_vector IF NOT EXISTS FOR (c:Chunk) ON (c.embedding) WITH [c.corpus_code, c.published]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'SCALAR'
}}
