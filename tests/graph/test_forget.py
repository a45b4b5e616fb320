"""What is forgotten is nowhere in the graph any more: not as a former version, and not in a question."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from neo4j.exceptions import ClientError

from kgservice.api.app import create_app
from kgservice.api.routes import documents as routes
from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.filter_words import find_document
from kgservice.graph.store import Graph
from kgservice.graph.transaction import remove
from kgservice.graph.views import make_view
from kgservice.questions import question_store
from kgservice.questions.second_look import WITHHELD
from kgservice.questions.selection import Plan, generate, refresh
from tests.graph.documents import loaded
from tests.graph.test_refresh import spread
from tests.graph.test_second_look import SOLARIS, asked, put

pytestmark = pytest.mark.usefixtures("unsearched")

SECRET, FORMER = "Bo Falkenquist is the mayor of Isvik.", "Bo Falkenquist was born in Lunsk, he says."
SAID = (SECRET, FORMER)
SOURCE = "a.txt"
MAYOR, BORN = ("Bo Falkenquist", "mayor", "Isvik"), ("Bo Falkenquist", "born", "Lunsk")
CAPITAL = ("Isvik", "capital", "Norvia")
FOUNDED = ("Isvik", "founded", "1990")


def text(source: str, said: str, *arcs: tuple[str, str, str], day: date | None = None) -> Document:
    """A text without a title: it is called by its first sentence."""
    triplets = (Triplet(subject=Term(label=s), relation=r, object=Term(label=o), sentence=said) for s, r, o in arcs)
    return Document(source=source, text=said, title=said, published=day, triplets=tuple(triplets))


def told(value: Any) -> Iterator[str]:
    """What a property says, also one that is packed."""
    if isinstance(value, bytes | bytearray):
        yield zlib.decompress(bytes(value)).decode("utf-8", "surrogatepass")
    elif isinstance(value, list):
        for one in value:
            yield from told(one)
    else:
        yield str(value)


def saying(graph: Graph, *words: str) -> list[str]:
    """Return every property of the database that holds one of some words: 'Question.facts'."""
    nodes = "MATCH (n) RETURN labels(n)[0] AS kind, properties(n) AS held"
    facts = "MATCH ()-[r]->() RETURN type(r) AS kind, properties(r) AS held"
    rows = [row for statement in (nodes, facts) for row in graph.change(lambda tx, own=statement: list(tx.run(own)))]
    return sorted(
        {
            f"{row['kind']}.{name}"
            for row in rows
            for name, value in row["held"].items()
            if any(word in said for said in told(value) for word in words)
        }
    )


@pytest.fixture
def remembered(graph: Graph, corpus: str) -> str:
    """A corpus whose questions rest on two versions of a text, or are withheld or ended because of it."""
    asked = Plan(patterns=("single", "chain"))
    loaded(
        graph, corpus, [text("b", "Isvik is the capital of Norvia, since Isvik was founded in 1990.", CAPITAL, FOUNDED)]
    )
    loaded(graph, corpus, [text("c", "Cy Vance is the mayor of Lunsk.", ("Cy Vance", "mayor", "Lunsk"))])
    generate(graph, corpus, asked)
    loaded(graph, corpus, [text(SOURCE, FORMER, BORN, day=date(2020, 1, 1))])
    refresh(graph, corpus)
    loaded(graph, corpus, [text(SOURCE, SECRET, MAYOR, day=date(2021, 1, 1))])
    refresh(graph, corpus)
    view = make_view(graph, corpus, date(2020, 6, 1), searched=False).corpus
    generate(graph, view, asked)
    loaded(graph, corpus, [text("d", "Isvik has a mayor, too.", ("Isvik", "twin", "Lunsk"))])
    return corpus


def by_python(graph: Graph, corpus: str, kgs: Any, home: Path) -> None:
    graph.remove(corpus, [keys.document_key(corpus, SOURCE)], forget=True)


def by_command(graph: Graph, corpus: str, kgs: Any, home: Path) -> None:
    assert kgs("documents", "remove", SOURCE, "-c", corpus, "--forget").exit_code == 0


def by_http(graph: Graph, corpus: str, kgs: Any, home: Path) -> None:
    with TestClient(create_app(Settings(home=home, api_keys={}), graph)) as http:
        done = http.delete(f"/documents/{SOURCE}", params={"corpus": corpus, "forget": True})
    assert (done.status_code, done.json()["removed"]) == (200, 1)


WAYS = [by_python, by_command, by_http]


@pytest.mark.parametrize("removed", [False, True], ids=["there", "removed before"])
@pytest.mark.parametrize("forget", WAYS)
def test_nothing_of_a_forgotten_text_is_left(
    graph: Graph, remembered: str, kgs: Any, tmp_path: Path, forget: Any, *, removed: bool
) -> None:
    if removed:
        graph.remove(remembered, [keys.document_key(remembered, SOURCE)])
        refresh(graph, remembered)
    kept = {"PastDocument.reading", "PastDocument.title", "Question.cause", "Question.facts"}
    assert kept <= set(saying(graph, *SAID))
    others = {one.id for one in question_store.questions(graph, remembered) if SAID[0] not in str(one)}
    forget(graph, remembered, kgs, tmp_path)
    assert saying(graph, *SAID) == []
    assert others & {one.id for one in question_store.questions(graph, remembered)}
    refresh(graph, remembered)
    assert saying(graph, *SAID) == []


def test_a_question_withheld_for_a_forgotten_text_does_not_quote_it(graph: Graph, corpus: str) -> None:
    put(graph, corpus, "a", SOLARIS[3], SOLARIS)
    put(graph, corpus, SOURCE, said := "Veldt Harbour was also directed by Otto Brandquist.")
    generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "object", "P57").rivals[0].sentence == said
    graph.remove(corpus, [keys.document_key(corpus, SOURCE)], forget=True)
    assert saying(graph, "Brandquist") == []
    assert asked(graph, corpus, "single", "object", "P57").reason == WITHHELD
    assert refresh(graph, corpus).added > 0
    assert not asked(graph, corpus, "single", "object", "P57").rivals


def test_a_fact_of_a_deleted_question_is_asked_about_by_another(graph: Graph, corpus: str) -> None:
    spread(graph, corpus, [("Alma", "borders", "Boro"), ("Boro", "supplies", "Cora")])
    generate(graph, corpus, Plan(patterns=("single", "chain")))
    assert [one.pattern for one in question_store.questions(graph, corpus, state="active")] == ["chain"] * 2
    graph.remove(corpus, [keys.document_key(corpus, "d0")], forget=True)
    assert refresh(graph, corpus).whole is False
    (left,) = question_store.questions(graph, corpus, state="active")
    assert (left.pattern, left.facts[0].object) == ("single", "Cora")


@pytest.mark.parametrize("at", ["before", "within"])
def test_a_run_that_has_read_a_text_does_not_write_what_is_forgotten(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """The text is forgotten before the run writes its questions, or by a transaction that has not ended then."""
    key = keys.document_key(corpus, SOURCE)
    loaded(graph, corpus, [text(SOURCE, SECRET, MAYOR), text("c", "Cy Vance is the mayor of Lunsk.")])
    write, began = question_store.write, threading.Event()

    def slowly(tx: Any) -> None:
        remove(tx, corpus, [key], forget=True)
        began.set()
        time.sleep(1.0)

    def beside(*given: Any) -> set[str]:
        if at == "before":
            graph.remove(corpus, [key], forget=True)
            return write(*given)
        thread = threading.Thread(target=graph.change, args=[slowly])
        thread.start()
        began.wait()
        try:
            return write(*given)
        finally:
            thread.join()

    with monkeypatch.context() as patch, suppress(ClientError):  # the passage went while the run linked to it
        patch.setattr(question_store, "write", beside)
        generate(graph, corpus, Plan(patterns=("single",)))
    assert saying(graph, SECRET) == []
    refresh(graph, corpus)
    assert saying(graph, SECRET) == []


@pytest.mark.parametrize("forget", WAYS)
def test_what_was_said_on_no_day_is_forgotten_though_only_questions_are_left(
    graph: Graph, corpus: str, kgs: Any, tmp_path: Path, forget: Any
) -> None:
    """It is published on a day to come, so no former version of it is kept."""
    loaded(graph, corpus, [text(SOURCE, SECRET, MAYOR, day=date.today() + timedelta(9)), text("b", "Isvik.")])
    generate(graph, corpus, Plan(patterns=("single",)))
    graph.remove(corpus, [keys.document_key(corpus, SOURCE)])
    refresh(graph, corpus)
    left = saying(graph, SECRET)
    assert {"Question.facts", "Question.cause"} <= set(left)
    assert not any("PastDocument" in one for one in left)
    forget(graph, corpus, kgs, tmp_path)
    assert saying(graph, SECRET) == []


def test_no_document_of_another_corpus_is_found(graph: Graph, remembered: str) -> None:
    gone = keys.document_key(remembered, SOURCE)
    graph.remove(remembered, [gone])
    loaded(graph, other := f"{remembered} other", [text("b", "Isvik.")])
    assert find_document(graph, gone, None, removed=True) == (gone, remembered)
    for name, corpus in ((gone, other), (SOURCE, other), (gone[: keys.CODE], remembered), (SOURCE, None)):
        with pytest.raises(NotFound, match="no document"):
            find_document(graph, name, corpus, removed=True)
    with pytest.raises(NotFound, match="no document"):
        find_document(graph, gone, remembered)
    graph.remove_corpus(other)


def test_a_day_of_what_is_forgotten_is_refused(graph: Graph, remembered: str, kgs: Any, tmp_path: Path) -> None:
    key, told = keys.document_key(remembered, SOURCE), "was said until no day"
    with pytest.raises(BadRequest, match=told):
        graph.remove(remembered, [key], date(2031, 1, 1), forget=True)
    done = kgs("documents", "remove", SOURCE, "-c", remembered, "--on", "2031-01-01", "--forget")
    assert (done.exit_code, told in done.output) == (1, True)
    with TestClient(create_app(Settings(home=tmp_path, api_keys={}), graph)) as http:
        refused = http.delete(f"/documents/{key}", params={"forget": True, "on": "2031-01-01"})
    assert (refused.status_code, told in refused.json()["detail"]) == (400, True)
    assert find_document(graph, key, None) == (key, remembered)


@pytest.mark.parametrize("forget", [False, True])
def test_of_two_who_remove_a_document_at_once_one_has_removed_it(
    graph: Graph, remembered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, forget: bool
) -> None:
    found = find_document(graph, SOURCE, remembered)
    monkeypatch.setattr(routes, "find_document", lambda *_, **__: found)  # both find it before one removes it
    with TestClient(create_app(Settings(home=tmp_path, api_keys={}), graph)) as http:
        done = [http.delete(f"/documents/{found[0]}", params={"forget": forget}) for _ in range(2)]
    assert [one.status_code for one in done] == [200, 404]
    assert done[0].json()["removed"] == 1
    assert "just been removed" in done[1].json()["detail"]
