"""A store of Neo4j 5.26 becomes one of 2026, where no corpus feels another; both are real servers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import neo4j
import psutil
import pytest

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound, ServerError
from kgservice.core.records import Document, Totals
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph, series_of, text_index_name, vector_index_name
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, load, write_all
from kgservice.managed_neo4j import backup, server
from kgservice.managed_neo4j.folder import Server, folder_of
from kgservice.managed_neo4j.jars import RELEASES
from kgservice.retrieval import retriever
from kgservice.retrieval.filter import SearchFilter
from kgservice.vectors.embedder import Embedder, reembed
from tests.graph.documents import Silent
from tests.graph.snapshot import snapshot
from tests.graph.test_other_retrievers import written

CACHE = Settings().cache
SMALL: server.Options = {"heap": "512m", "pagecache": "64m"}
OLD, NEW = "5.26", "2026"
QUERY = "harbour grain ships"
WORDS = ("grain", "harbour", "ships", "bridge", "council", "railway", "museum")
DAY = date(2031, 1, 1)
EMBEDDER = Embedder()


class CountingGraph(Graph):
    """Remembers what it reads."""

    asked: ClassVar[Counter[str]] = Counter()

    def read(self, name: str, /, **parameters: Any) -> list[neo4j.Record]:
        self.asked[name] += 1
        return super().read(name, **parameters)


@dataclass(frozen=True)
class Upgraded:
    """A database before and after: its server, what it held, what was said, and what was found in it."""

    server: Server
    graph: CountingGraph
    totals: Totals
    nodes: list[Any]
    said: list[str]
    found: dict[str, dict[str, float]]


def documents(kind: str, count: int = 60) -> list[Document]:
    """Texts of different words and lengths; every third has no date."""
    return [
        Document(
            source=f"{kind}-{number}",
            title=f"{kind} {number}",
            text=" ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 4 + number % 9)) + f" {kind}.",
            published=None if number % 3 == 0 else DAY + timedelta(days=number),
            triplets=(),
        )
        for number in range(count)
    ]


def fill(graph: Graph, corpus: str, kind: str = "port") -> None:
    load(graph, documents(kind), corpus, Recipe(), EMBEDDER, Silent())


def found(graph: Graph, corpus: str, name: str, within: SearchFilter | None = None, k: int = 10) -> dict[str, float]:
    hits = retriever(name, graph, corpus, EMBEDDER, k=k, within=within or SearchFilter()).hits(QUERY)
    return {hit.chunk: hit.score for hit in hits}


@pytest.fixture(scope="module")
def upgraded(short_lived: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upgraded]:
    """A store of 5.26, whose server was killed, opened by 2026."""
    home, said = tmp_path_factory.mktemp("home"), list[str]()
    try:
        old = server.start(home, CACHE, version=OLD, **SMALL)
        with Graph.open(old.uri, server.USER, old.password, wait=20) as graph:
            fill(graph, "ports")
            # what a store of an older kgservice does not have
            graph.session(lambda session: session.run("MATCH (c:Chunk) REMOVE c.published, c:$('Corpus_x')").consume())
            totals, (nodes, _) = graph.totals("ports"), snapshot(graph, "ports")
            before = {name: found(graph, "ports", name) for name in ("bm25", "dense", "hybrid")}
        psutil.Process(old.pid).kill()
        with suppress(ChildProcessError):
            os.waitpid(old.pid, 0)
        new = server.start(home, CACHE, version=NEW, say=said.append, **SMALL)
        with CountingGraph.open(new.uri, server.USER, new.password, wait=20) as graph:
            yield Upgraded(new, graph, totals, nodes, said, before)
    finally:
        server.stop(home)


def rows(graph: Graph, text: str) -> list[dict[str, Any]]:
    return graph.session(lambda session: [row.data() for row in session.run(text)])  # type: ignore[arg-type]


def indexes(graph: Graph) -> set[str]:
    found = rows(graph, "SHOW INDEXES YIELD name, type WHERE type IN ['VECTOR', 'FULLTEXT'] RETURN name")
    return {row["name"] for row in found}


def test_the_upgrade_keeps_everything_and_backs_it_up_first(upgraded: Upgraded, tmp_path: Path) -> None:
    dump = folder_of(upgraded.server.home) / f"before-{RELEASES[NEW].number}.dump"
    assert any(str(dump) in line for line in upgraded.said)
    assert (upgraded.server.version, upgraded.graph.series) == (RELEASES[NEW].number, 2026)
    assert upgraded.graph.totals("ports") == upgraded.totals
    backup.restore(tmp_path, CACHE, dump, version=OLD, **SMALL)
    said: list[str] = []
    again = server.start(tmp_path, CACHE, say=said.append, **SMALL)  # without a version, an old store stays one
    assert f"KGS_NEO4J_VERSION={NEW}" in said[-1]
    try:
        with Graph.open(again.uri, server.USER, again.password, wait=20) as graph:
            assert (graph.series, snapshot(graph, "ports")[0]) == (5, upgraded.nodes)
    finally:
        server.stop(tmp_path)


def test_the_upgraded_store_finds_what_it_found(upgraded: Upgraded) -> None:
    for name, before in upgraded.found.items():
        after = found(upgraded.graph, "ports", name)
        assert list(after) == list(before)
        assert after == pytest.approx(before, rel=1e-6)
    assert indexes(upgraded.graph) == {vector_index_name("ports"), text_index_name("ports")}


def test_a_store_with_one_vector_index_for_all_gets_one_each(upgraded: Upgraded) -> None:
    graph = upgraded.graph
    lately = SearchFilter(published_since=DAY + timedelta(days=30))
    before = [found(graph, "ports", "dense", within) for within in (None, lately)]
    graph.update("write/vector_index", corpus="ports", name=None)
    graph.command("write/drop_index", name=vector_index_name("ports"))
    compared_one_by_one = [found(graph, "ports", "dense", within) for within in (None, lately)]
    assert compared_one_by_one == before
    options = "OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}"
    rows(graph, f"CREATE VECTOR INDEX chunk_vector FOR (c:Chunk) ON (c.embedding) {options}")
    graph.prepare()
    assert indexes(graph) == {vector_index_name("ports"), text_index_name("ports")}
    graph.asked.clear()
    assert [found(graph, "ports", "dense", within) for within in (None, lately)] == before
    assert graph.asked == {"retrieve/nearest_chunks": 1, "retrieve/nearest_published": 1}


def test_other_corpora_move_nothing(upgraded: Upgraded) -> None:
    graph = upgraded.graph
    before = {name: found(graph, "ports", name) for name in ("bm25", "dense", "hybrid", "graph")}
    for number in range(2):
        fill(graph, f"beside-{number}", f"near{number}")
    assert {name: found(graph, "ports", name) for name in before} == before
    graph.asked.clear()
    found(graph, "ports", "dense")
    assert graph.asked == {"retrieve/nearest_chunks": 1}
    graph.remove_corpus("beside-0")
    assert not indexes(graph) & {text_index_name("beside-0"), vector_index_name("beside-0")}
    assert indexes(graph) >= {text_index_name("beside-1"), vector_index_name("beside-1")}
    with pytest.raises(NotFound, match="no corpus 'beside-0'"):
        found(graph, "beside-0", "bm25")
    fill(graph, "beside-0", "near0")
    assert len(found(graph, "beside-0", "bm25")) == 10
    load(graph, documents("bare"), "bare", Recipe(), None, Silent())
    for name, within in product(("dense", "hybrid"), (None, SearchFilter(published_since=DAY))):
        with pytest.raises(BadRequest, match="corpus 'bare' has no vectors"):
            found(graph, "bare", name, within)


def test_only_a_load_makes_indexes_as_they_empty_the_cache_of_plans(upgraded: Upgraded) -> None:
    graph, before = upgraded.graph, indexes(upgraded.graph)
    write_all(graph, documents("listed"), "listed", Recipe(), LoadCounts(Silent()), lambda *_: None)
    assert graph.totals("listed").documents == 60
    assert indexes(graph) == before
    for corpus in ("listed", "loaded"):
        load(graph, documents("listed", 61), corpus, Recipe(), None, Silent())
    assert indexes(graph) == before | {text_index_name("listed"), text_index_name("loaded")}
    listed, loaded = (sorted(found(graph, corpus, "bm25").values()) for corpus in ("listed", "loaded"))
    assert len(listed) == 10
    assert listed == loaded, "what was written before the index was made is in it"
    for corpus in ("listed", "loaded"):
        graph.remove_corpus(corpus)
    assert indexes(graph) == before


@pytest.mark.parametrize(
    "within",
    [
        SearchFilter(published_since=DAY + timedelta(days=30)),
        SearchFilter(published_until=DAY + timedelta(days=40)),
        SearchFilter(published_since=DAY + timedelta(days=20), published_until=DAY + timedelta(days=50)),
    ],
)
def test_a_time_is_looked_for_in_the_index(upgraded: Upgraded, within: SearchFilter) -> None:
    graph, k = upgraded.graph, 5
    first, last = within.published_since or date.min, within.published_until or date.max
    fits = {
        keys.document_key("ports", one.source)
        for one in documents("port")
        if one.published and first <= one.published <= last
    }
    graph.asked.clear()
    hits = found(graph, "ports", "dense", within, k)
    assert graph.asked == {"retrieve/nearest_published": 1}
    everything = found(graph, "ports", "dense", k=60)
    assert len(everything) == 60
    assert hits == dict([(chunk, score) for chunk, score in everything.items() if chunk[: keys.KEY] in fits][:k])


def test_neo4j_graphrag_reads_a_corpus_own_index_without_a_warning(
    upgraded: Upgraded, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = SimpleNamespace(name="ports", graph=upgraded.graph, embedder=EMBEDDER)
    items = written("neo4j-graphrag", {"corpus": corpus, "driver": upgraded.graph._driver})["found"].items
    assert len(items) == 5
    assert not [one for one in caplog.records if one.name.startswith("neo4j_graphrag")]


def test_without_vectors_it_says_so(upgraded: Upgraded) -> None:
    upgraded.graph.drop_vectors()
    assert not [name for name in indexes(upgraded.graph) if name.startswith("chunk_vector")]
    for name in ("dense", "hybrid"):
        with pytest.raises(BadRequest, match="has no vectors"):
            found(upgraded.graph, "ports", name)
    assert len(found(upgraded.graph, "ports", "bm25")) == 10
    assert reembed(upgraded.graph, EMBEDDER) >= 60
    assert len(found(upgraded.graph, "ports", "dense")) == 10


def test_a_server_says_its_series() -> None:
    agents = {"Neo4j/2026.09.0": 2026, "Neo4j/5.26.30": 5, "Neo4j/5.27-aura": 5, "Memgraph": 5}
    assert {agent: series_of(agent) for agent in agents} == agents


def test_a_store_of_2026_is_refused_by_5(upgraded: Upgraded) -> None:
    """The last test of the server, which stays stopped."""
    home, said = upgraded.server.home, list[str]()
    assert server.start(home, CACHE, version=OLD, say=said.append, **SMALL) == upgraded.server, "it runs: nothing to do"
    assert "`kgservice neo4j stop` first" in said[0]
    server.stop(home)
    with pytest.raises(ServerError, match=r"is of Neo4j 2026\..*5\.26\.30 cannot open: unset KGS_NEO4J_VERSION"):
        server.start(home, CACHE, version=OLD, **SMALL)
