// A chunk is stored once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT chunk_key IF NOT EXISTS FOR (c:Chunk) REQUIRE c.key IS UNIQUE
