"""The graph database: the managed server, the store and the queries."""
