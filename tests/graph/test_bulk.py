"""`load --bulk` gives, node by node and property by property, the graph of a plain load, a linked one too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kgservice.core.errors import BadRequest
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest import admission, bulk
from kgservice.ingest.bulk import bulk_load
from kgservice.ingest.import_files import Gathered
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.pipeline import Recipe, load
from kgservice.linking.linker import WikidataLinker
from kgservice.linking.wikidata_index import Wikidata
from tests.graph.documents import Silent, document, report
from tests.graph.snapshot import snapshot
from tests.graph.test_letter_case import TEXTS
from tests.graph.test_schema import stated
from tests.wikidata import Trigrams, indexed

AGAIN = 'Of E1, or "the first",\nthey say that it is in the Hub.'
LINKED, UNREAD = Recipe(link="wikidata"), Recipe(extract="none")
SHARED = "shared"  # keys, and with them all that is compared, hang on the name of the corpus
LATER = (
    stated("e", ("Ada Brune", "lives in", "MILL GREEN")),
    stated("f", ("Gareth Ollivane", "lives in", "Mill Green")),
)


class Deadly(Document):
    """A document that ends the process that it is sent to."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


class Plain(NamedTuple):
    """What a plain load gave: its report, its journal and the whole graph."""

    report: LoadReport
    journal: Silent
    whole: tuple[list[Any], list[Any]]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WikidataLinker]:
    with Wikidata(indexed(tmp_path_factory.mktemp("index"))) as index, WikidataLinker(index, Trigrams()) as made:  # type: ignore[arg-type]
        yield made


def documents() -> list[Document]:
    made = [
        document(
            f"d{n}", [(f"E{n}", "near", f"E{(n * 3) % 40}"), (f"E{n}", "in", "Hub")], [(f"K{n % 7}", "has", f"E{n}")],
            title=f"Number “{n}”, and more", published=f"2031-01-{n % 28 + 1:02d}" if n % 3 else None,
            type_=("firm", "city", None)[n % 5 % 3],
            metadata={"year": 2031, "share": 0.5, "final": bool(n % 2), "name": "a, b"} if n % 2 else {},
        )
        for n in range(60)
    ]  # fmt: skip
    odd = Triplet(
        subject=Term(label='He said "no", then; left\nat once', type="person"),
        relation="paid",
        object=Term(label="4,200 USD"),
        sentence="",
    )
    typed = Triplet(subject=Term(label="E1", type="thing"), relation="since", object=Term(label="14 March 2031"))
    ends = {"subject": Term(label="Acme"), "object": Term(label="$5")}
    known = Triplet(relation="sales", period="fiscal 2031", confidence=0.875, **ends)
    said = Document(source="said", text="Sales of Acme in fiscal 2031 were $5.", triplets=(known,))
    doubted = Triplet(subject=Term(label="E1"), relation="in", object=Term(label="Hub"), sentence=AGAIN, confidence=0.5)
    again = Document(source="again", text=AGAIN, triplets=(doubted,))  # a fact of another batch
    odds = Document(source="odd", text='He said "no",\n\tthen left. 4,200 USD', triplets=(odd, typed, odd))
    items = document(
        "items", [("France", "capital", "City of Paris"), ("NYC", "country", "France"), ("Lutz", "in", "NYC")]
    )
    return [*made, odds, said, report("t"), items, again]


def shared() -> list[Document]:
    """Documents with names that differ in letter case alone, in texts that one process reads and that several do."""
    return [TEXTS[0], TEXTS[2], *documents(), TEXTS[1], *LATER, documents()[0]]


@pytest.fixture(scope="module")
def plain(own: tuple[Graph, Settings]) -> Plain:
    """What a plain load of `shared()` gives; the corpus is removed."""
    graph, journal = own[0], Silent()
    for corpus in graph.corpora():
        graph.remove_corpus(corpus)
    report = load(graph, shared(), SHARED, UNREAD, None, journal)
    whole = snapshot(graph, SHARED)
    graph.remove_corpus(SHARED)
    return Plain(report, journal, whole)


def test_bulk_gives_the_graph_of_a_plain_load(own: tuple[Graph, Settings], linker: WikidataLinker) -> None:
    graph, corpus = own[0], "bulk"
    plain, expected = plainly(graph, corpus, linker), snapshot(graph, corpus)
    graph.remove_corpus(corpus)
    linker.counts.clear()
    report = imported(own, documents(), corpus, linker)
    found = snapshot(graph, corpus)
    assert {"description", "aliases", "novel", "written", "confidence"} <= {
        name for side in found for one in side for name in one["properties"]
    }
    assert found[0] == expected[0]
    assert found[1] == expected[1]
    rows = graph.session(lambda session: session.run("MATCH ()-[f:FACT]->() RETURN f.sr, elementId(f)").values())
    stored = [sr for sr, _ in sorted(rows, key=lambda row: int(row[1].rpartition(":")[2]))]
    assert stored == sorted(stored)  # the facts of a subject are next to each other
    assert report.model_copy(update={"seconds": 0}) == plain.model_copy(update={"seconds": 0})
    assert plainly(graph, corpus, linker).documents.unchanged == 65
    with pytest.raises(BadRequest, match="empty database"):
        imported(own, documents(), corpus, linker)


def test_bulk_in_several_processes_gives_the_graph_and_the_report_of_a_plain_load(
    own: tuple[Graph, Settings], plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that differ in letter case alone are merged: those that this process alone reads, or another one, or both."""
    (graph, settings), noted, joined = own, Silent(), list[str]()
    written = {name for one in plain.whole[1] for name in one["properties"].get("written", ())}
    assert any("PORT AMBREL" in name for name in written), "this process alone reads both of its spellings"
    assert any("MILL GREEN" in name for name in written), "another process alone reads both of its spellings"
    assert any("LUMEN QUAY" in name for name in written)
    monkeypatch.setattr(admission, "BATCH_DOCUMENTS", 10)
    monkeypatch.setattr(bulk, "ALONE", 1)
    join = Gathered.join

    def noting(self: Gathered) -> None:
        joined.extend(self.parts)
        join(self)

    monkeypatch.setattr(Gathered, "join", noting)
    report = bulk_load(graph, settings, shared(), SHARED, UNREAD, None, noted, lambda *_: None)
    assert joined
    assert snapshot(graph, SHARED) == plain.whole
    assert report.model_copy(update={"seconds": 0}) == plain.report.model_copy(update={"seconds": 0})
    for kind in ("document", "triplet"):
        problems = [sorted(map(str, journal.problems(kind))) for journal in (plain.journal, noted)]
        assert problems[0] == problems[1] != []
    graph.remove_corpus(SHARED)


def test_a_bulk_load_whose_process_dies_leaves_nothing_and_one_killed_behind_its_import_is_completed_by_a_load(
    own: tuple[Graph, Settings], plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, settings = own
    given = shared()
    given.insert(len(given) // 2, Deadly(source="deadly", text="It ends who reads it.", metadata={"share": 0.5}))
    with monkeypatch.context() as patch:
        patch.setattr(admission, "BATCH_DOCUMENTS", 5)
        patch.setattr(bulk, "ALONE", 1)
        with pytest.raises(BadRequest, match=r"a process of the load died.*nothing was imported; load again"):
            bulk_load(graph, settings, given, SHARED, UNREAD, None, Silent(), lambda *_: None)
    for worker in active_children():  # it is killed, or already dead
        worker.join(30)
    assert not active_children()
    assert not graph.read("read/anything")
    assert graph.corpora() == []
    assert not list(settings.home.glob("bulk-*"))

    def killed(self: Gathered) -> Iterator[Any]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Gathered, "documents", killed)
        with pytest.raises(KeyboardInterrupt):
            bulk_load(graph, settings, shared(), SHARED, UNREAD, None, Silent(), lambda *_: None)
    assert graph.corpora() == [SHARED]
    assert graph.totals(SHARED).documents == plain.report.documents.stored
    graph.prepare()  # as the next command does
    report = load(graph, shared(), SHARED, UNREAD, None, Silent())
    assert report.documents.stored == plain.report.documents.stored
    assert snapshot(graph, SHARED) == plain.whole
    graph.remove_corpus(SHARED)


def test_a_bulk_load_replaces_nothing_that_was_written_while_it_read(own: tuple[Graph, Settings]) -> None:
    (graph, settings), recipe = own, Recipe(extract="none")

    def found() -> Iterator[Document]:
        yield document("a", [("A", "near", "B")])
        load(graph, [document("b", [("C", "near", "D")])], "other", recipe, None, Silent())

    with pytest.raises(BadRequest, match="while this load read: nothing was imported"):
        bulk_load(graph, settings, found(), "mine", recipe, None, Silent(), lambda *_: None)
    assert graph.totals("other").facts == 1
    graph.remove_corpus("other")


def test_a_bulk_load_of_nothing_leaves_the_database_empty(own: tuple[Graph, Settings]) -> None:
    graph, settings = own
    report = bulk_load(graph, settings, [], "none", Recipe(extract="none"), None, Silent(), lambda *_: None)
    assert report.documents.given == 0
    assert graph.corpora() == []
    assert not graph.read("read/anything")


def test_bulk_loads_take_turns_and_remove_what_a_killed_one_left(own: tuple[Graph, Settings]) -> None:
    graph, settings = own
    left = settings.home / "bulk-killed"
    left.mkdir()
    (left / "rows.sqlite").touch()

    def found() -> Iterator[Document]:
        with pytest.raises(BadRequest, match="another load --bulk"):
            bulk_load(graph, settings, [], "two", Recipe(extract="none"), None, Silent(), lambda *_: None)
        yield from ()

    bulk_load(graph, settings, found(), "one", Recipe(extract="none"), None, Silent(), lambda *_: None)
    assert not list(settings.home.glob("bulk-*"))


def test_bulk_is_refused_for_a_database_that_is_not_ours(graph: Graph, linker: WikidataLinker, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="managed"):
        imported((graph, Settings(home=tmp_path, neo4j_uri="bolt://127.0.0.1:1")), [], "bulk", linker)


def plainly(graph: Graph, corpus: str, linker: WikidataLinker) -> LoadReport:
    return load(graph, documents(), corpus, LINKED, None, Silent(), linker=linker)


def imported(own: tuple[Graph, Settings], given: list[Document], corpus: str, linker: WikidataLinker) -> LoadReport:
    graph, settings = own
    return bulk_load(graph, settings, given, corpus, LINKED, None, Silent(), lambda *_: None, linker=linker)
