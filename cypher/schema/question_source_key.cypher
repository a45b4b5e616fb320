// A source of questions is stored once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT question_source_key IF NOT EXISTS FOR (s:QuestionSource) REQUIRE s.key IS UNIQUE
