// Full-text search over the chunks of one corpus (English stemming), so that no other corpus moves its scores. A label
// cannot be a parameter: kgservice puts the corpus's own in place of the demo's.
// Eventually consistent: the index is brought up to date beside the writers, and a load waits for it at its end.
// Parameters: $name ('chunk_text_v8dpfc'). Columns: none.
CREATE FULLTEXT INDEX $name IF NOT EXISTS FOR (c:Corpus_v8dpfc) ON EACH [c.title, c.text, c.corpus_code]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}}
