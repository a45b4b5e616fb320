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
RELATIONSHIPS = """
MATCH (a:Document|Chunk|Entity|Question)-[r]->(b)
WHERE a.key STARTS WITH $code
RETURN a.key AS start, type(r) AS type, b.key AS end, properties(r) AS properties ORDER BY start, type, end, r.key, r.surface
"""


def snapshot(graph: Graph, corpus: str, *, without: tuple[str, ...] = ()) -> tuple[list[Any], list[Any]]:
    """Return all nodes and relationships of a corpus with all properties but those named in `without` and a corpus's time."""
    code, without = keys.corpus_code(corpus), (*without, "last_write")

    def read(tx: Any, text: str) -> list[Any]:
        return [
            {
                **row.data(),
                "labels": sorted(row.get("labels", [])),  # their order is that in which the database first met them
                "properties": {k: v for k, v in row["properties"].items() if k not in without},
            }
            for row in tx.run(text, code=code)
        ]

    nodes = graph.change(lambda tx: read(tx, NODES))
    return nodes, graph.change(lambda tx: read(tx, RELATIONSHIPS))
