"""What graph tests share beside the database."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from kgservice.cli import app
from kgservice.core import pools
from kgservice.core.settings import Settings
from kgservice.graph.rows import Rows
from kgservice.graph.store import Graph
from kgservice.ingest import sources
from kgservice.ingest.pipeline import SearchedGraph
from kgservice.managed_neo4j import server
from tests.conftest import Address
from tests.copied_workers import CopiedReader, copying
from tests.graph.documents import asked

SEARCHED = SearchedGraph.write


@pytest.fixture(scope="module")
def unsearched() -> Iterator[None]:
    """Give the corpora of a module that searches none no full-text index.

    To make or drop one empties Neo4j's cache of plans: on Neo4j 2026 each load of a new corpus would have every statement
    planned anew.
    """

    def write(self: SearchedGraph, rows: Rows) -> None:
        self._graph.write(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SearchedGraph, "write", write)
        yield


@pytest.fixture(scope="module", autouse=True)
def copied_workers() -> Iterator[None]:
    """Copy the workers and readers of loads: tests/unit has those that start as a user's do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "get_context", copying)
        patch.setattr(sources, "Popen", CopiedReader)
        yield


@pytest.fixture(scope="session")
def demo(graph: Graph) -> Iterator[str]:
    """The demo corpus with its questions, changed by no test."""
    name = f"test-{uuid.uuid4().hex}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SearchedGraph, "write", SEARCHED)  # the module that is first may search nothing, another does
        asked(graph, name)
    yield name
    graph.remove_corpus(name)


@pytest.fixture(scope="session")
def own(short_lived: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Graph, Settings]]:
    """A managed server that only test_bulk.py, for which it is empty, and then test_large_graphs.py write to."""
    settings = Settings(
        home=tmp_path_factory.mktemp("own, (v1)"), neo4j_uri=None, neo4j_heap="1g", neo4j_pagecache="256m"
    )
    running = server.start(settings.home, settings.cache, version=settings.neo4j_version, heap="1g", pagecache="256m")
    try:
        with Graph.open(running.uri, "neo4j", running.password) as graph:
            yield graph, settings
    finally:
        server.stop(settings.home)


@pytest.fixture
def kgs(monkeypatch: pytest.MonkeyPatch, address: Address, tmp_path: Path) -> Any:
    """Run a command in this process."""
    for name, value in (("HOME", tmp_path / "home"), ("NEO4J_URI", address.uri), ("NEO4J_USER", address.user),
                        ("NEO4J_PASSWORD", address.password)):  # fmt: skip
        monkeypatch.setenv(f"KGS_{name}", str(value))

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(one) for one in arguments])

    return run
