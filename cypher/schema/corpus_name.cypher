// A corpus is named once; its node is also the lock that its writers take in turn.
// Parameters: none. Columns: none.
CREATE CONSTRAINT corpus_name IF NOT EXISTS FOR (c:Corpus) REQUIRE c.name IS UNIQUE
