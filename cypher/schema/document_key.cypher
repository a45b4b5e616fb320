// A document is stored once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT document_key IF NOT EXISTS FOR (d:Document) REQUIRE d.key IS UNIQUE
