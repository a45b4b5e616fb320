// The vector index without filters, of a database that was made by Neo4j 5.
// Parameters: none. Columns: dimension.
SHOW VECTOR INDEXES YIELD name, options
WHERE name = 'chunk_embedding'
RETURN options.indexConfig['vector.dimensions'] AS dimension
