"""Every route on a real Neo4j, from loading to questions."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from kgservice import __version__
from kgservice.api.app import create_app
from kgservice.api.jobs import Jobs
from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.graph.views import make_view
from kgservice.names.corpus_names import view_name
from kgservice.questions.patterns import SubgraphOptions, subgraphs
from kgservice.questions.selection import Plan, generate
from tests.conftest import Address
from tests.graph.documents import document
from tests.graph.documents import loaded as load

DOCUMENTS = [
    {
        "id": "towns/novosel.md",
        "title": "Novosel",
        "text": "Novosel is the capital of Varnia. It was founded in 1204.",
        "published": "2031-03-14",
        "metadata": {"year": 2031},
        "triplets": [
            {"subject": "Novosel", "relation": "capital of", "object": "Varnia"},
            {"subject": "Novosel", "relation": "founded in", "object": {"label": "1204", "kind": "date"}},
            {"subject": "", "relation": "capital of", "object": "nothing"},
        ],
    },
    {
        "id": "ada",
        "text": "Ada Lind is the mayor of Novosel.",
        "triplets": [{"subject": "Ada Lind", "relation": "mayor of", "object": "Novosel"}],
    },
    {
        "id": "rivers",
        "text": "The river Sel flows through Novosel.",
        "triplets": [{"subject": "Sel", "relation": "flows through", "object": "Novosel"}],
    },
    {
        "id": "orlo",
        "text": "Orlo is the capital of Kest.",
        "triplets": [{"subject": "Orlo", "relation": "capital of", "object": "Kest"}],
    },
]


@pytest.fixture
def app(graph: Graph, tmp_path: Path) -> FastAPI:
    return create_app(Settings(home=tmp_path, api_keys={}), graph)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000)) as opened:
        yield opened


def finished(client: TestClient, where: str) -> dict[str, Any]:
    for _ in range(1_200):
        job: dict[str, Any] = client.get(where).json()
        if job["finished"]:
            return job
        time.sleep(0.05)
    raise AssertionError(f"{where} does not end: {job}")


@pytest.fixture
def loaded(client: TestClient, corpus: str) -> Callable[..., dict[str, Any]]:
    """Load documents over HTTP and return the finished job."""

    def load(documents: list[dict[str, Any]] = DOCUMENTS, **known: Any) -> dict[str, Any]:
        body = {"documents": documents, "corpus": corpus, "vectors": False} | known
        answer = client.post("/documents", json=body)
        assert answer.status_code == 202, answer.text
        assert answer.headers["location"] == f"/jobs/{answer.json()['id']}"
        return finished(client, answer.headers["location"])

    return load


def test_load_look_ask_refresh_remove(client: TestClient, corpus: str, loaded: Callable[..., dict[str, Any]]) -> None:
    job = loaded([*DOCUMENTS, {"id": "ada", "text": "again"}, {"id": "blank", "text": " "}])
    assert job["state"] == "done"
    report = job["report"]
    assert report["documents"] == {
        "in": 6, "stored": 4, "unchanged": 0, "rejected": {"duplicate id": 1, "no text": 1}, "failed": {},
    }  # fmt: skip
    assert report["triplets"] == {"in": 6, "kept": 5, "rejected": {"empty end": 1}}
    assert (report["facts"], report["entities"]) == (5, 7)
    assert loaded()["report"]["documents"]["unchanged"] == 4
    assert [item["id"] for item in client.get("/jobs").json()["items"]][1] == job["id"]

    totals = {"corpus": corpus, "documents": 4, "chunks": 4, "facts": 5, "entities": 7}
    assert totals in client.get("/corpora").json()["items"]
    health = client.get("/health").json()
    assert (health["status"], health["version"]) == ("ok", __version__)
    assert health["counts"]["facts"] >= 5

    first = client.get("/documents", params={"corpus": corpus, "limit": 2}).json()
    rest = client.get("/documents", params={"corpus": corpus, "limit": 2, "after": first["next"]}).json()
    assert (len(first["items"]), len(rest["items"]), rest["next"]) == (2, 2, None)
    by_source = {item["source"]: item for item in first["items"] + rest["items"]}
    novosel = by_source["towns/novosel.md"]
    assert (novosel["published"], novosel["metadata"], novosel["chunks"]) == ("2031-03-14", {"year": 2031}, 1)
    by_key = client.get(f"/documents/{novosel['key']}").json()
    assert by_key == client.get("/documents/towns/novosel.md", params={"corpus": corpus}).json()
    assert by_key["document"] == novosel
    assert by_key["chunks"][0]["text"] == DOCUMENTS[0]["text"]

    made = client.post("/questions", json={"corpus": corpus, "patterns": ["chain", "single"]}).json()
    assert made["added"] > 0
    assert client.post("/questions/refresh", json={"corpus": corpus}).json()["kept"] == made["added"]
    listed = paged(client, "/questions", corpus=corpus, state="active", limit=1)
    assert len(listed) == made["added"]
    assert {item["pattern"] for item in listed} == {"chain", "single"}
    assert all(item["facts"][0]["statements"] for item in listed)
    chains = paged(client, "/questions", corpus=corpus, state="active", pattern="chain", limit=100)
    assert 0 < len(chains) < len(listed)

    removed = client.delete("/documents/ada", params={"corpus": corpus}).json()
    assert removed == {"removed": 1, "documents": 3, "chunks": 3, "facts": 4, "entities": 6}
    retired = client.post("/questions/refresh", json={"corpus": corpus}).json()["retired"]
    assert retired["fact withdrawn"] > 0
    assert client.delete("/documents/ada", params={"corpus": corpus}).status_code == 404


def paged(client: TestClient, path: str, **parameters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = ""
    while after is not None:
        answer = client.get(path, params=parameters | {"after": after})
        assert answer.status_code == 200, answer.text
        found += answer.json()["items"]
        after = answer.json()["next"]
    return found


def test_entities(client: TestClient, corpus: str, loaded: Callable[..., dict[str, Any]]) -> None:
    loaded()
    found = client.get("/entities/Novosel", params={"corpus": corpus}).json()
    assert (found["label"], found["id"], found["kind"], found["degree"]) == ("Novosel", "local:Novosel", "entity", 4)
    assert found["more"] is False
    assert [fact["subject"] == "Novosel" for fact in found["facts"]] == [True, True, False, False]
    fact = next(fact for fact in found["facts"] if fact["relation"] == "mayor of")
    assert (fact["subject"], fact["object"], fact["objects"], fact["subjects"]) == ("Ada Lind", "Novosel", 1, 1)
    assert fact["statements"][0]["sentence"] == "Ada Lind is the mayor of Novosel."
    assert fact["statements"][0]["document"] == keys.document_key(corpus, "ada")
    assert client.get(f"/entities/{found['key']}").json() == found
    assert client.get("/entities/local:Novosel", params={"corpus": corpus}).json() == found
    part = client.get(f"/entities/{found['key']}", params={"limit": 3}).json()
    assert (part["facts"], part["more"]) == (found["facts"][:3], True)
    for path in ("/entities/novosel", "/entities/"):
        assert client.get(path, params={"corpus": corpus}).status_code == 404
    assert "corpus" in client.get("/entities/Novosel").json()["detail"]


def test_statements_say_how_likely_they_are(client: TestClient, graph: Graph, corpus: str) -> None:
    ends = {"subject": Term(label="Ada Lind"), "relation": "mayor of", "object": Term(label="Novosel")}
    twice = "Ada Lind is the mayor of Novosel, and Novosel's mayor is Ada Lind."
    said = [(twice, 0.85), (twice, 0.9), ("Novosel chose Ada Lind.", 0.75), ("Ada Lind rules Novosel.", 1)]
    expected = {twice: 0.9, "Novosel chose Ada Lind.": 0.75, "Ada Lind rules Novosel.": 1}
    triplets = tuple(Triplet(sentence=sentence, confidence=sure, **ends) for sentence, sure in said)
    load(graph, corpus, [Document(source="ada", text=" ".join(expected), triplets=triplets)])
    generate(graph, corpus, Plan(patterns=("single",)))
    shown = [
        client.get("/entities/Novosel", params={"corpus": corpus}).json(),
        client.get("/questions", params={"corpus": corpus}).json()["items"][0],
        client.get("/subgraphs/single", params={"corpus": corpus}).json()["items"][0]["readings"][0],
    ]
    for one in shown:
        assert {of["sentence"]: of["confidence"] for of in one["facts"][0]["statements"]} == expected
    described = client.get("/openapi.json").json()["components"]["schemas"]["Source"]["properties"]["confidence"]
    assert described["description"].startswith("how likely the statement is right")


def test_subgraphs(client: TestClient, graph: Graph, corpus: str, loaded: Callable[..., dict[str, Any]]) -> None:
    loaded()
    choice = SubgraphOptions(cross_chunk=False)
    expected = [json.loads(row.model_dump_json()) for row in subgraphs(graph, corpus, "chain", choice)]
    options = {"corpus": corpus, "cross_chunk": "false"}
    assert len(expected) > 3
    assert paged(client, "/subgraphs/chain", **options, limit=2) == expected
    assert client.get("/subgraphs/chain", params=options).json() == {"items": expected, "next": None}
    counted = client.get("/subgraphs/chain", params=options | {"count": "true"}).json()
    assert counted == {"pattern": "chain", "count": len(expected)}
    for limit in (None, 2):
        more = {} if limit is None else {"limit": limit}
        answer = client.get("/subgraphs/chain", params=options | more, headers={"Accept": "application/x-ndjson"})
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        assert [json.loads(line) for line in answer.text.splitlines()] == expected[:limit]
    sampled = client.get("/subgraphs/chain", params=options | {"seed": 7, "limit": 2}).json()
    assert sampled == client.get("/subgraphs/chain", params=options | {"seed": 7, "limit": 2}).json()
    assert (len(sampled["items"]), sampled["next"]) == (2, None)
    asked = client.get("/subgraphs/chain", params=options | {"asked": "last"}).json()["items"]
    assert asked == [row for row in expected if row["asked"] == "last"]


REFUSED = [
    ("/subgraphs/triangle", 404),
    ("/subgraphs/chain?asked=middle", 400),
    ("/subgraphs/chain?after=zzz", 400),
    ("/subgraphs/chain?limit=0", 422),
    ("/subgraphs/chain?seed=1&after=x", 400),
    ("/subgraphs/chain?colour=red", 422),
    ("/entities?q=Porsche", 422),
    ("/documents?afetr=x", 422),
    ("/subgraphs/comparison?asked=first", 400),
    ("/subgraphs/comparison?max_partners=0", 422),
    ("/subgraphs/chain3?published_since=tomorrow", 422),
    ("/subgraphs/chain3?relation=", 422),
    ("/subgraphs/chain3?relation=no+such+relation", 404),
    ("/subgraphs/chain3?type=no+such+type", 404),
    ("/questions?after=0", 400),
    ("/questions?pattern=triangle", 404),
    ("/questions?state=lost", 422),
    ("/documents?after=0", 400),
    ("/documents?limit=1001", 422),
    ("/documents/none", 404),
    ("/entities/none", 404),
]


def test_what_cannot_be_had(client: TestClient, corpus: str, loaded: Callable[..., dict[str, Any]]) -> None:
    loaded(DOCUMENTS[1:2])
    for path, status in REFUSED:
        for headers in ({}, {"Accept": "application/x-ndjson"}):
            answer = client.get(f"{path}{'&' if '?' in path else '?'}corpus={corpus}", headers=headers)
            assert answer.status_code == status, (path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json", path
        nowhere = client.get(path.split("?", maxsplit=1)[0], params={"corpus": f"{corpus}-not"})
        assert nowhere.status_code == 404, path
        assert "subgraphs/triangle" in path or nowhere.json()["detail"].endswith(f"did you mean {corpus!r}?")


def test_an_unknown_parameter_is_named_with_the_nearest_one(client: TestClient) -> None:
    for path, told in (
        ("/documents?limits=3", "query.limits: no such parameter; did you mean 'limit'?"),
        ("/entities?q=Porsche", "query.q: no such parameter; there are: as_of, corpus, limit, name"),
        ("/subgraphs/chain?max_pivot=3", "query.max_pivot: no such parameter; did you mean 'max_pivot_degree'?"),
        ("/jobs?corpus=a", "query.corpus: no such parameter; there are: none"),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["detail"]) == (422, told)


def test_retrieve(client: TestClient, corpus: str, loaded: Callable[..., dict[str, Any]]) -> None:
    loaded(vectors=True)
    for retriever in ("bm25", "dense"):
        body = {"query": "Which is the capital of Varnia?", "retriever": retriever, "k": 2, "corpus": corpus}
        hits = client.post("/retrieve", json=body).json()["hits"]
        assert hits[0]["document"] == keys.document_key(corpus, "towns/novosel.md")
        place = {"source", "url", "page", "section"}
        assert set(hits[0]) == {"chunk", "document", "title", "score", "text", "why"} | place
        assert hits[0]["title"] == "Novosel"
    for body, status in (
        ({"query": "x", "corpus": corpus, "retriever": "bm26"}, 404),
        ({"query": "x", "corpus": f"{corpus}-not"}, 404),
        ({"query": " ", "corpus": corpus}, 400),
        ({"query": "x", "corpus": corpus, "k": 0}, 422),
        ({"corpus": corpus}, 422),
    ):
        assert client.post("/retrieve", json=body).status_code == status


def test_loading_refuses_at_once_what_cannot_be_loaded(client: TestClient, corpus: str) -> None:
    for known, status in (
        ({"chunking": "words"}, 400),
        ({"link": "magic"}, 422),
        ({"schema": "/etc/passwd"}, 422),
        ({"link": "wikidata"}, 404),  # there is no index
        ({"corpus": ""}, 422),
        ({"corpus": " "}, 400),
        ({"corpus": f"{corpus}\n"}, 400),
        ({"corpus": "x" * 101}, 400),
        ({"corpus": f"{corpus}@2031-01-01"}, 400),
        ({"documents": []}, 422),
        ({"documents": [{"id": " ", "text": "x"}]}, 422),
        ({"documents": [{"id": "a", "text": "x", "colour": "red"}]}, 422),
        ({"documents": [{"id": "a", "text": "x", "published": "yesterday"}]}, 422),
    ):
        body = {"documents": DOCUMENTS, "corpus": corpus} | known
        assert client.post("/documents", json=body).status_code == status, known
    assert client.post("/files", params={"corpus": "x" * 101}, files=[("files", ("a.md", b"Ada."))]).status_code == 400
    assert client.get("/jobs").json() == {"items": []}
    assert client.post("/questions/refresh", json={"corpus": corpus}).status_code == 404


def test_nothing_is_ordered_for_a_corpus_as_of_a_day(client: TestClient, graph: Graph, corpus: str) -> None:
    load(graph, corpus, [document("a", [("Novosel", "capital of", "Varnia")])])
    taken = view_name(corpus, date(2031, 1, 2))
    with pytest.MonkeyPatch.context() as patch:  # as earlier versions let it be called
        patch.setattr(Graph, "check_written", lambda *_: None)
        load(graph, taken, [document("a", [("Orlo", "capital of", "Kest")])])
    view = make_view(graph, corpus, date(2031, 1, 1)).corpus
    generate(graph, view, Plan())
    before = client.get("/jobs").json()
    for path, body, told in (
        ("/documents", {"json": {"corpus": view, "documents": DOCUMENTS}}, "nothing is written to it"),
        ("/files", {"params": {"corpus": view}, "files": [("files", ("a.md", b"Ada."))]}, "nothing is written to it"),
        ("/releases", {"json": {"corpus": view}}, "nothing is written to it"),
        ("/views", {"json": {"corpus": corpus, "as_of": "2031-01-02"}}, "is no view of"),
    ):
        answer = client.post(path, **body)
        assert (answer.status_code, told in answer.json()["detail"]) == (400, True), answer.text
    assert client.get("/jobs").json() == before
    graph.remove_corpus(taken)
    assert taken not in graph.corpora()


def test_a_load_may_put_ready_made_triplets_into_the_schema(client: TestClient, corpus: str) -> None:
    sentence = "Bolt is headquartered in Lun."
    triplet = {"subject": "Bolt", "relation": "is headquartered in", "object": "Lun", "sentence": sentence}
    body = {"documents": [{"id": "a", "text": sentence, "triplets": [triplet]}], "corpus": corpus, "vectors": False}
    for known, mapped in (({}, None), ({"schema": "default"}, 1)):
        job = finished(client, client.post("/documents", json=body | known).headers["location"])
        relations = job["report"]["relations"]
        assert relations == (mapped and {"in": 1, "mapped": 1, "open": {}, "violations": {}})


def test_a_running_load_is_cancelled_between_batches(
    client: TestClient, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kgservice.ingest import admission

    monkeypatch.setattr(admission, "BATCH_DOCUMENTS", 1)
    reached, go = threading.Event(), threading.Event()
    advance = Jobs._advance

    def held(self: Jobs, key: str, stage: str, count: int) -> None:
        reached.set()
        assert go.wait(10)
        advance(self, key, stage, count)

    monkeypatch.setattr(Jobs, "_advance", held)
    where = client.post("/documents", json={"documents": DOCUMENTS, "corpus": corpus}).headers["location"]
    assert reached.wait(20)
    assert client.delete(where).status_code == 202
    go.set()
    job = finished(client, where)
    assert (job["state"], job["progress"], job["report"]) == ("cancelled", {"read": 1, "documents": 1}, None)
    assert client.get("/documents", params={"corpus": corpus}).json()["items"]
    assert client.delete(where).status_code == 409


def test_the_app_opens_and_closes_the_database_of_its_settings(address: Address, tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path, neo4j_uri=address.uri, neo4j_user=address.user, neo4j_password=address.password, api_keys={}
    )  # type: ignore[arg-type]
    app = create_app(settings)
    with TestClient(app) as client:
        assert client.get("/health").status_code == 200
        graph = app.state.graph
    with pytest.raises(Exception, match="closed"):
        graph.read("read/counts")
