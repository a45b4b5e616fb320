// What a name stands for is decided once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT decision_key IF NOT EXISTS FOR (d:Decision) REQUIRE d.key IS UNIQUE
