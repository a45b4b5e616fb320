"""The routes that the page needs, on a real Neo4j, and the page's own files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.core import keys
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from kgservice.retrieval import offered
from tests.graph.documents import document, loaded

READER, CURATOR = {"X-API-Key": "reader-key"}, {"X-API-Key": "curator-key"}
OWN = {"reader": "reader-key", "curator": "curator-key"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def client(graph: Graph, home: Path) -> Iterator[TestClient]:
    app = create_app(Settings(home=home, api_keys=OWN), graph)  # type: ignore[arg-type]
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def towns(graph: Graph) -> Iterator[str]:
    """A corpus of towns with the questions about them."""
    corpus = "test-towns-of-the-page"
    graph.remove_corpus(corpus)
    arcs = [
        ("Novosel Old Harbour", "is located in", "Novosel"),
        ("Novosel", "is the capital of", "Varnia"),
        ("Ada Lind", "is the mayor of", "Novosel"),
        ("Orlo", "is the capital of", "Kest"),
    ]
    loaded(graph, corpus, [document(f"d{n}", [arc], title=f"Report {n}") for n, arc in enumerate(arcs)])
    generate(graph, corpus, Plan())
    yield corpus
    graph.remove_corpus(corpus)


def test_a_page_of_questions_reads_no_more_than_it_shows(
    client: TestClient, towns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, whole = list[Any](), Graph.read

    def read(self: Graph, name: str, /, **known: Any) -> list[Any]:
        found = whole(self, name, **known)
        rows.extend(found if name == "questions/list" else [])
        return found

    monkeypatch.setattr(Graph, "read", read)
    assert len(got(client, "/questions", corpus=towns, limit=2)["items"]) == 2
    assert len(rows) == 3  # one more says whether there is a next page


def got(client: TestClient, path: str, **parameters: Any) -> Any:
    answer = client.get(path, params=parameters, headers=CURATOR)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("novosel", ["Novosel", "Novosel Old Harbour"]),
        ("novo", ["Novosel", "Novosel Old Harbour"]),
        ("harb novo", ["Novosel Old Harbour"]),
        ("ADA", ["Ada Lind"]),
        ("nowhere", []),
        ("a) OR *:* +(", []),
        ("it's", []),
    ],
)
def test_entities_are_found_by_beginnings_of_their_words(
    client: TestClient, towns: str, name: str, found: list[str]
) -> None:
    answer = got(client, "/entities", corpus=towns, name=name)
    assert ([item["label"] for item in answer["items"] if item["degree"]], answer["more"]) == (found, False)


def test_without_a_name_the_best_connected_come_first(client: TestClient, towns: str) -> None:
    answer = got(client, "/entities", corpus=towns, limit=1)
    assert (answer["items"][0]["label"], answer["items"][0]["degree"], answer["more"]) == ("Novosel", 3, True)
    around = got(client, f"/entities/{answer['items'][0]['key']}")
    assert {fact["object_key"] for fact in around["facts"] if fact["object"] == "Novosel"} == {around["key"]}
    assert {fact["subject_key"] for fact in around["facts"] if fact["subject"] == "Novosel"} == {around["key"]}


def test_chunks_by_their_keys(client: TestClient, towns: str) -> None:
    facts = got(client, "/entities/Novosel", corpus=towns)["facts"]
    stated = {one["chunk"]: one["sentence"] for fact in facts for one in fact["statements"]}
    found = got(client, "/chunks", key=[*stated, "not there"])["items"]
    assert [item["chunk"] for item in found] == sorted(stated)
    assert all(stated[item["chunk"]] in item["text"] and item["title"].startswith("Report") for item in found)
    assert client.get("/chunks", headers=CURATOR).status_code == 422


def test_questions_are_counted_and_found_by_id(client: TestClient, towns: str, graph: Graph, home: Path) -> None:
    counts = got(client, "/questions/counts", corpus=towns)["items"]
    listed = got(client, "/questions", corpus=towns, limit=1_000)["items"]
    assert sum(one["questions"] for one in counts) == len(listed) > 0
    active = [item for item in listed if item["pattern"] == "single" and item["state"] == "active"]
    assert {"pattern": "single", "state": "active", "reason": "", "questions": len(active)} in counts
    where = f"/questions/{active[0]['id']}"
    assert got(client, where, corpus=towns) == active[0]
    assert client.get(where, headers=READER).json() == active[0]  # its id tells the corpus
    other = client.get(where, params={"corpus": "other"}, headers=CURATOR)
    assert other.status_code == 404

    key = got(client, "/entities/Novosel", corpus=towns)["key"]
    create(graph, towns, Archive(Settings(home=home).releases))
    refused = client.get(where, params={"corpus": towns}, headers=READER)
    assert (refused.status_code, "private" in refused.json()["detail"]) == (403, True)
    assert client.get(where, params={"corpus": [towns, "other"]}, headers=READER).status_code in {403, 404}
    assert client.get(where, headers=READER).status_code == 403  # the key says of which corpus it is
    assert client.get("/questions/counts", params={"corpus": towns}, headers=READER).status_code == 403
    facts, entities = (
        client.get(path, headers=READER).status_code for path in (f"/entities/{key}", "/entities/Novosel")
    )
    assert (facts, entities) == (403, 404)
    assert client.get("/entities", params={"corpus": towns}, headers=READER).status_code == 403
    hits = client.post("/retrieve", json={"query": "Novosel", "retriever": "graph", "corpus": towns}, headers=READER)
    assert [hit["why"] for hit in hits.json()["hits"]] == [{}] * len(hits.json()["hits"])
    assert hits.json()["hits"]
    held = next(one for one in client.get("/corpora", headers=READER).json()["items"] if one["corpus"] == towns)
    assert (held["documents"], held["facts"], held["entities"]) == (4, None, None)
    assert client.get("/health").json()["counts"]["facts"] is None
    assert client.get("/health", headers=CURATOR).json()["counts"]["facts"] >= 4


def test_choices_are_those_of_the_code(client: TestClient) -> None:
    found = got(client, "/choices")
    assert found["patterns"] == {name: list(asked) for name, asked in PATTERNS.items()}
    assert found["retrievers"] == list(offered(None))


def test_the_page_needs_no_key_and_keeps_to_itself(client: TestClient) -> None:
    page = client.get("/")
    assert (page.status_code, page.url.path, page.headers["content-type"]) == (200, "/web/", "text/html; charset=utf-8")
    for name in ("", "app.js", "style.css", "icon.svg", "views/overview.js"):
        answer = client.get(f"/web/{name}")
        assert answer.status_code == 200
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-cache")
    assert (
        client.get("/web/app.js", headers={"If-None-Match": client.get("/web/app.js").headers["etag"]}).status_code
        == 304
    )
    for name in ("../app.py", "%2e%2e/api/app.py", "..%2fsettings.py", "nothing.js", "views"):
        assert client.get(f"/web/{name}").status_code in {404, 405, 401}, name
    for path in ("/entities", "/chunks?key=x", "/choices", "/questions/counts", f"/questions/{keys.corpus_code('x')}"):
        assert client.get(path).status_code == 401, path
