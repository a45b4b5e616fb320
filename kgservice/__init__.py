"""kgservice: documents in, a knowledge graph in Neo4j, subgraphs with provably unique answers, questions out."""

__version__ = "0.1.0"
