// How much the whole database holds, from the count store: as fast with a billion facts as with none.
// Parameters: none. Columns: corpora, documents, chunks, facts, entities, questions.
RETURN COUNT { (:Corpus) } AS corpora, COUNT { (:Document) } AS documents, COUNT { (:Chunk) } AS chunks,
       COUNT { ()-[:FACT]->() } AS facts, COUNT { (:Entity) } AS entities, COUNT { (:Question) } AS questions
