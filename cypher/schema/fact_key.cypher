// A fact is stored once, however many chunks state it.
// Parameters: none. Columns: none.
CREATE CONSTRAINT fact_key IF NOT EXISTS FOR ()-[f:FACT]-() REQUIRE f.key IS UNIQUE
