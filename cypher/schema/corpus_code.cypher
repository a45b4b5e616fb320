// Two corpora never share the code that starts their keys.
// Parameters: none. Columns: none.
CREATE CONSTRAINT corpus_code IF NOT EXISTS FOR (c:Corpus) REQUIRE c.code IS UNIQUE
