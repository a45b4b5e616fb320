"""The graph's connection without a database."""

from __future__ import annotations

import socket
import time

import pytest

from kgservice.errors import GraphUnavailable
from kgservice.graph.store import Graph


def test_a_server_that_takes_connections_and_is_silent_does_not_hold_its_clients() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        started = time.monotonic()
        with pytest.raises(GraphUnavailable, match="no Neo4j answers"):
            Graph.open(f"bolt://127.0.0.1:{silent.getsockname()[1]}", "neo4j", "x", wait=0.5)
        assert time.monotonic() - started < 2
