// A question is stored once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT question_key IF NOT EXISTS FOR (q:Question) REQUIRE q.key IS UNIQUE
