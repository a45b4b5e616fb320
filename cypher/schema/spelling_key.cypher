// A name is once in each block of names that are spelt alike; a block is a range of the index.
// Parameters: none. Columns: none.
CREATE CONSTRAINT spelling_key IF NOT EXISTS FOR (s:Spelling) REQUIRE s.key IS UNIQUE
