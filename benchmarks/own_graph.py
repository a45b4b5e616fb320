"""A Neo4j of a benchmark's own, and what a load into it needs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]  # kgservice from this checkout

from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder


class Silent(Journal):
    """A journal that keeps nothing."""

    def __init__(self) -> None:
        super().__init__(Path(), "benchmark")

    def _line(self, value: dict[str, object]) -> None: ...


class Remembering(Embedder):
    """Embeds a text once, however often the ablation loads it."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, super().embed(new), strict=True) if new else ())
        return [self._known[text] for text in texts]


@contextmanager
def own_graph(kept: Path | None = None) -> Iterator[Graph]:
    """A managed Neo4j of the benchmark's own; its data stay only in a folder that is given."""
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        settings, home = Settings(), kept or Path(folder)
        running = server.start(home, settings.cache, heap=settings.neo4j_heap, pagecache=settings.neo4j_pagecache)
        try:
            with Graph.open(running.uri, "neo4j", running.password) as graph:
                yield graph
        finally:
            server.stop(home)


@contextmanager
def graph_of() -> Iterator[Graph]:
    """The database of KGS_NEO4J_URI, whose corpora stay for the next run; else a Neo4j of the benchmark's own."""
    if Settings().neo4j_uri:
        with connect(Settings()) as graph:
            yield graph
    else:
        with own_graph() as graph:
            yield graph
