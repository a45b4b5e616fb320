// Full-text search over chunks (English stemming); the corpus code is a field so that a search stays in its corpus.
// Eventually consistent: the index is brought up to date beside the writers, and a load waits for it at its end.
// Parameters: none. Columns: none.
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (c:Chunk) ON EACH [c.title, c.text, c.corpus_code]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}}
