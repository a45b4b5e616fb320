// Full-text search over chunks (English stemming); the corpus code is a field so that a search stays in its corpus.
// Parameters: none. Columns: none.
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (c:Chunk) ON EACH [c.title, c.text, c.corpus_code]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
