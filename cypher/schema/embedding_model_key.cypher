// The model that made the vectors is remembered once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT embedding_model_key IF NOT EXISTS FOR (m:EmbeddingModel) REQUIRE m.key IS UNIQUE
