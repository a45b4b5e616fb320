"""The Neo4j that kgservice installs, starts, stops and backs up itself."""
