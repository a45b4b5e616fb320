// A former version of a document is stored once; those of a document, and of a corpus, are a range of the index.
// Parameters: none. Columns: none.
CREATE CONSTRAINT past_document_key IF NOT EXISTS FOR (p:PastDocument) REQUIRE p.key IS UNIQUE
