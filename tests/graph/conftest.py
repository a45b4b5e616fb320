"""What graph tests share beside the database."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from kgservice.graph.store import Graph
from tests.graph.documents import asked


@pytest.fixture(scope="session")
def demo(graph: Graph) -> Iterator[str]:
    """The demo corpus with its questions, changed by no test."""
    name = f"test-{uuid.uuid4().hex}"
    yield asked(graph, name)
    graph.remove_corpus(name)
