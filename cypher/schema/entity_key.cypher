// An entity is stored once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (e:Entity) REQUIRE e.key IS UNIQUE
