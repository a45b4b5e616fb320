"""Everything a corpus is in the graph, as a value that can be compared."""

from __future__ import annotations

from typing import Any

from kgservice.core import keys
from kgservice.graph.store import Graph

NODES = """
MATCH (n:Document|Chunk|Entity|Question|Corpus)
WHERE n.key STARTS WITH $code OR n.code = $code
RETURN coalesce(n.key, n.code) AS key, labels(n) AS labels, properties(n) AS properties ORDER BY key
"""
TOTALS = """
MATCH (c:Corpus {code: $code})
RETURN {documents: c.documents, chunks: c.chunks, facts: c.facts, entities: c.entities} AS stored, {
  documents: COUNT { (n:Document) WHERE n.key STARTS WITH $code }, chunks: COUNT { (n:Chunk) WHERE n.key STARTS WITH $code },
  facts: COUNT { ()-[f:FACT]->() WHERE f.key STARTS WITH $code },
  entities: COUNT { (n:Entity) WHERE n.key STARTS WITH $code AND EXISTS { (n)-[:FACT]-() } }
} AS counted
"""
RELATIONSHIPS = """
MATCH (a:Document|Chunk|Entity|Question)-[r]->(b)
WHERE a.key STARTS WITH $code
RETURN a.key AS start, type(r) AS type, b.key AS end, properties(r) AS properties ORDER BY start, type, end, r.key, r.surface
"""


def snapshot(graph: Graph, corpus: str, *, without: tuple[str, ...] = ()) -> tuple[list[Any], list[Any]]:
    """Return all nodes and relationships of a corpus with all properties but those named in `without`.

    Left out, too, is when a corpus was written and how often a run began to write its questions.

    Fails if the counts that are stored with the corpus are not those of its nodes and facts.
    """
    code, without = keys.corpus_code(corpus), (*without, "last_write", "question_writes")

    def read(tx: Any, text: str) -> list[Any]:
        return [
            {
                **row.data(),
                "labels": sorted(row.get("labels", [])),  # their order is that in which the database first met them
                "properties": {k: v for k, v in row["properties"].items() if k not in without},
            }
            for row in tx.run(text, code=code)
        ]

    for row in graph.change(lambda tx: list(tx.run(TOTALS, code=code))):
        assert row["stored"] == row["counted"]
    nodes = graph.change(lambda tx: read(tx, NODES))
    return nodes, graph.change(lambda tx: read(tx, RELATIONSHIPS))
