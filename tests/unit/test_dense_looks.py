"""How often the dense retriever looks at the vector index."""

from __future__ import annotations

from typing import Any

from kgservice.graph.store import Graph
from kgservice.retrieval.dense import DenseRetriever
from kgservice.vectors.embedder import Embedder


class Looks(Graph):
    """A graph that finds 20 vectors in each look, and counts the looks."""

    def __init__(self) -> None:
        self.series, self.asked = 5, 0

    def read(self, name: str, /, **parameters: Any) -> Any:
        self.asked += 1
        return [look(20)]


def look(found: int) -> dict[str, Any]:
    return {"seen": 60, "last": 0.1, "hits": [{"chunk": str(at), "score": 0.9 - at / 100} for at in range(found)]}


def test_a_look_that_finds_enough_is_not_widened() -> None:
    graph = Looks()
    dense = DenseRetriever(graph=graph, corpus="c", embedder=Embedder(), k=20)
    assert len(dense.nearest([1.0], look(12), 10)) == 12
    assert graph.asked == 0
    assert len(dense.nearest([1.0], look(9), 10)) == 20
    assert len(dense.nearest([1.0], look(12))) == 20
    assert graph.asked == 2
