"""Every Cypher statement of kgservice, one a file, ready to paste into Neo4j Browser. See README.md in this folder."""
