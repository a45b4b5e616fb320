// The vector indexes over the chunks of all corpora, of a database that was made by Neo4j 5 or by an older kgservice.
// Parameters: none. Columns: name, dimension.
SHOW VECTOR INDEXES YIELD name, options
WHERE name IN ['chunk_embedding', 'chunk_vector']
RETURN name, options.indexConfig['vector.dimensions'] AS dimension
