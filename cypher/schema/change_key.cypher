// A record of what a transaction changed is stored once, and a corpus's records are found together.
// Parameters: none. Columns: none.
CREATE CONSTRAINT change_key IF NOT EXISTS FOR (c:Change) REQUIRE c.key IS UNIQUE
