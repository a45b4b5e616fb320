"""The graph's connection without a database."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Self

import pytest
import typer
from neo4j.exceptions import ClientError, ServiceUnavailable
from typer.testing import CliRunner

from kgservice.cli import app, session
from kgservice.cli.documents import resumable
from kgservice.core.errors import GraphUnavailable, SettingsError
from kgservice.graph.store import ALREADY_MADE, PATIENCE, Graph, made_meanwhile

SILENCE = 20  # seconds that a server which starts may say nothing


def test_a_server_that_takes_connections_and_is_silent_does_not_hold_its_clients() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        started = time.monotonic()
        with pytest.raises(GraphUnavailable, match="no Neo4j answers"):
            Graph.open(f"bolt://127.0.0.1:{silent.getsockname()[1]}", "neo4j", "x", wait=0.5)
        assert time.monotonic() - started < PATIENCE  # the driver's, where nobody says how long to wait


@pytest.mark.parametrize(("code", "taken"), [(ALREADY_MADE, True), ("Neo.ClientError.Schema.IndexNotFound", False)])
def test_an_index_that_another_makes_meanwhile_is_made(code: str, taken: bool) -> None:
    with nullcontext() if taken else pytest.raises(ClientError), made_meanwhile():
        error = ClientError("no")
        error._neo4j_code = code
        raise error


@pytest.mark.parametrize("uri", ["localhost:7687", "http://localhost:7474", "bolt://localhost:x", "bolt://me:secret@h"])
def test_an_address_of_another_form_is_named_with_its_setting(uri: str) -> None:
    with pytest.raises(SettingsError, match=r"^KGS_NEO4J_URI: .* is no address of a Neo4j: give bolt://HOST:7687, "):
        Graph.open(uri, "neo4j", "x")


class Starting:
    """A driver to a server that starts: it takes a statement, and answers once it is up."""

    def __init__(self) -> None:
        self.up, self.asked = threading.Event(), 0

    def session(self, **_: Any) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def run(self, _: str) -> Self:
        self.asked += 1
        assert self.up.wait(SILENCE)
        return self

    def consume(self) -> None: ...


def test_a_server_that_starts_holds_one_thread_and_no_request() -> None:
    driver = Starting()
    graph = Graph(driver, "neo4j", 0.5)  # type: ignore[arg-type]

    def work(_: object) -> str:
        if not driver.up.is_set():
            raise ServiceUnavailable("gone")
        return "done"

    for _ in range(3):
        started = time.monotonic()
        with pytest.raises(GraphUnavailable, match="did not come back"):
            graph.session(work)
        assert time.monotonic() - started < SILENCE
    assert driver.asked == 1
    driver.up.set()
    assert graph.session(work) == "done"


class Interrupted(Starting):
    """A driver that is interrupted while it reads, and then cannot close its connection."""

    def run(self, *_: object) -> Self:
        raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        raise BufferError("Existing exports of data: object cannot be re-sized")


def test_what_a_driver_raises_while_an_interrupt_unwinds_is_the_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph(Interrupted(), "neo4j", 0.5)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        graph.corpora()

    @contextmanager
    def connect(*_: object, **__: object) -> Iterator[Graph]:
        with Interrupted():
            yield graph

    monkeypatch.setattr(session, "connect", connect)
    done = CliRunner().invoke(app, ["status"])
    assert (done.exit_code, done.stderr) == (130, "")
    with pytest.raises(typer.Exit) as ended, resumable(graph, "towns"), Interrupted() as driver:
        driver.run()
    assert ended.value.exit_code == 130
