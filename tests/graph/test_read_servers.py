"""Two small servers, one with a copy of the other's database: what is read there is what the primary holds."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import neo4j
import psutil
import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from kgservice.api.app import create_app
from kgservice.core.errors import GraphUnavailable, SettingsError
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph import read_servers
from kgservice.graph.read_servers import ReadServer
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, load, write_all
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import choose_port, folder_of
from kgservice.managed_neo4j.jars import DEFAULT
from kgservice.questions.patterns import SubgraphOptions, count, subgraphs
from kgservice.retrieval import retriever
from kgservice.retrieval.hit import Hit
from kgservice.setup.checks import checks
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder, embed_chunks
from tests.graph.documents import Arc, Silent, loaded

CACHE = Settings().cache
SMALL: server.Options = {"version": Settings().neo4j_version or DEFAULT, "heap": "512m", "pagecache": "64m"}
CURATOR = "the-curator-of-these-tests"
EMBEDDER = Embedder()
LAST = SubgraphOptions(asked="last")


def stated(source: str, *arcs: Arc) -> Document:
    """Return a short document of facts."""
    triplets = tuple(
        Triplet(subject=Term(label=s), relation=r, object=Term(label=o), sentence=f"{s} {r} {o}.") for s, r, o in arcs
    )
    text = " ".join(f"{s} {r} {o}." for s, r, o in arcs)
    return Document(source=source, title=source, text=text, triplets=triplets)


TOWNS = [
    document
    for n in range(16)
    for document in (
        stated(
            f"port {n}", (f"Clerk {n}", "works for", f"Port {n % 9}"), (f"Port {n}", "lies in", f"Town {n * 7 % 16}")
        ),
        stated(f"town {n}", (f"Town {n}", "has mayor", f"Clerk {n * 5 % 16}")),
    )
]


@pytest.fixture(scope="module")
def settings(short_lived: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The settings of a service over both. The copy, which no test has started yet, has two addresses."""
    primary, copy, home = (tmp_path_factory.mktemp(name) for name in ("primary", "copy", "home"))
    try:
        first = server.start(primary, CACHE, **SMALL)
        with Graph.open(first.uri, server.USER, first.password) as graph:
            load(graph, TOWNS, "towns", Recipe(), EMBEDDER, Silent())
            loaded(graph, "second", TOWNS[:6])
            # not searched: an index of its own would have Neo4j plan all statements of a load once more
            write_all(graph, TOWNS[:6], "third", Recipe(), LoadCounts(Silent()), lambda *_: None)
        # as after a power cut: nothing writes meanwhile, and the copy recovers from its log as it starts
        shutil.copytree(folder_of(primary) / "data", folder_of(copy) / "data")
        shutil.copy(folder_of(primary) / "password", folder_of(copy))
        port = choose_port(None, "", [None], None)
        yield Settings(
            home=home, neo4j_uri=first.uri, neo4j_password=SecretStr(first.password), neo4j_bolt_port=port,
            neo4j_read_uris=(f"bolt://127.0.0.1:{port}", f"bolt://localhost:{port}"),
            neo4j_wait=20, api_keys={"curator": CURATOR}, cache=copy,
        )  # fmt: skip
    finally:
        server.stop(primary)
        server.stop(copy)


def start_copy(settings: Settings) -> server.Server:
    return server.start(settings.cache, CACHE, bolt_port=settings.neo4j_bolt_port, **SMALL)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The number of statements of enumeration and retrieval, by who answered them."""
    answered, whole = Counter[str](), Graph.read

    def counted(graph: Graph, name: str, /, **parameters: Any) -> list[neo4j.Record]:
        if name.startswith(("patterns/", "retrieve/")):
            answered[graph.address if isinstance(graph, ReadServer) else "primary"] += 1
        return whole(graph, name, **parameters)

    monkeypatch.setattr(Graph, "read", counted)
    monkeypatch.setattr(read_servers, "REST", 0.0)
    return answered


def rows(graph: Graph) -> list[Any]:
    """Return what is enumerated and found in the towns."""
    listed = list(subgraphs(graph, "towns", "chain", LAST))
    assert count(graph, "towns", "chain", LAST) == len(listed) > 5
    return [listed, hits(graph, "towns", "hybrid")]


def hits(graph: Graph, corpus: str, name: str) -> list[Hit]:
    return retriever(name, graph, corpus, EMBEDDER).hits("Who clerks for the port of Town 4?")


def test_rows_and_hits_are_those_of_the_primary(
    settings: Settings, reads: Counter[str], caplog: pytest.LogCaptureFixture
) -> None:
    with connect(settings) as graph:
        away = rows(graph)
        assert (set(reads), [one.state for one in graph.read_servers()]) == ({"primary"}, ["away", "away"])
        start_copy(settings)
        reads.clear()
        assert rows(graph) == away
        assert set(reads) == set(settings.neo4j_read_uris), "both in turn"
        assert [one.state for one in graph.read_servers()] == ["current", "current"]
    said = sorted(line.split(": ")[0].removeprefix("the read server ") for line in caplog.messages)
    assert said == sorted(f"{uri} is {what}" for uri in settings.neo4j_read_uris for what in ("left out", "back"))


def test_what_was_just_written_is_read_from_the_primary(settings: Settings, reads: Counter[str]) -> None:
    start_copy(settings)
    with connect(settings) as graph, TestClient(create_app(settings)) as client:
        (before, _) = rows(graph)
        loaded(
            graph,
            "towns",
            [stated("x", ("Clerk 50", "works for", "Port 50")), stated("y", ("Port 50", "lies in", "Rome"))],
        )
        reads.clear()
        (after, _) = rows(graph)
        assert set(reads) == {"primary"}
        assert {row.id for row in after} > {row.id for row in before}
        hits(graph, "second", "bm25")
        assert sum(reads[uri] for uri in settings.neo4j_read_uris) == 1
        unseen = {"address": None, "behind": None, "last_write": None}
        assert client.get("/health").json()["read_servers"] == [{"state": "behind"} | unseen] * 2
        seen = client.get("/health", headers={"X-API-Key": CURATOR}).json()["read_servers"]
        assert [(one["address"], one["behind"]) for one in seen] == [
            (uri, ["towns"]) for uri in settings.neo4j_read_uris
        ]
        writes = {row["name"]: row["last_write"].to_native() for row in graph.read("read/corpora")}
        assert writes["second"] < datetime.fromisoformat(seen[0]["last_write"]) == writes["third"] < writes["towns"]


def test_vectors_are_written_too(settings: Settings, reads: Counter[str]) -> None:
    start_copy(settings)
    with connect(settings) as graph:
        hits(graph, "second", "bm25")
        assert reads.pop("primary", 0) == 0
        embed_chunks(graph, "second", EMBEDDER)
        assert hits(graph, "second", "dense")
        assert reads["primary"]


def test_a_copy_without_the_database_is_left_out(settings: Settings) -> None:
    start_copy(settings)
    with connect(settings) as graph:
        for copy in graph._servers:
            copy._database = "absent"
        assert list(subgraphs(graph, "third", "chain", LAST))
        assert [one.state for one in graph.read_servers()] == ["away", "away"]


def test_a_copy_that_dies_is_left_out(settings: Settings, reads: Counter[str]) -> None:
    with connect(settings) as graph:
        before = list(subgraphs(graph, "third", "chain", LAST))
        assert before
        psutil.Process(start_copy(settings).pid).kill()
        for _ in range(3):
            assert list(subgraphs(graph, "third", "chain", LAST)) == before
        assert reads["primary"] >= 3
        assert [one.state for one in graph.read_servers()] == ["away", "away"]
    (database,) = (check for check in checks(settings) if check.name == "database")
    assert (database.state, database.detail.count(": away")) == ("failed", 2)


def test_a_database_that_is_not_there_is_said(settings: Settings) -> None:
    with pytest.raises(GraphUnavailable, match=r"database 'absent': .*: set KGS_NEO4J_DATABASE"):
        connect(settings.model_copy(update={"neo4j_database": "absent"}))


@pytest.mark.parametrize("address", ["replica:7687", "http://replica:7474", "bolt://neo4j:secret@replica"])
def test_a_wrong_address_is_said(settings: Settings, address: str) -> None:
    with pytest.raises(SettingsError, match=r"KGS_NEO4J_READ_URIS: .* is no address of a Neo4j: give bolt://HOST"):
        connect(settings.model_copy(update={"neo4j_read_uris": (address,)}))
