"""Hostile input on every route: big and deep bodies, wrong types, paths and Cypher in names; never a 5xx, never an act."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.api.jobs import Jobs
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from tests.graph.documents import document, loaded

JSON = {"content-type": "application/json"}
NAMES = [
    "../../../../etc/passwd",
    "..%2f..%2fkeys.sqlite",
    "%2e%2e/%2e%2e/audit.jsonl",
    "....//....//keys.sqlite",
    "/etc/passwd",
    "C:\\Windows\\win.ini",
    "file:///etc/passwd",
    "x%00.jsonl",
    "' OR 1=1 //",
    "'}) DETACH DELETE n //",
    "`) MATCH (n) DETACH DELETE n //",
    "$corpus",
    "*:*",
    "text:* AND NOT (",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "%s%s%s%n",
    "\u202e\u0000x",
    "A" * 10_000,
]


@pytest.fixture(scope="module")
def app(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return create_app(Settings(home=tmp_path_factory.mktemp("home"), api_keys={}, rate_limit=0), graph)


@pytest.fixture
def http(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(Jobs, "_put", lambda *_: None)  # what is ordered waits
    yield TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000))


def taking(app: FastAPI) -> list[str]:
    """The routes that take a body."""
    return [
        path.replace("{key}", "0" * 32)
        for path, item in app.openapi()["paths"].items()
        if "requestBody" in item.get("post", {})
    ]


def is_refused(answer: Any, where: object) -> None:
    assert 400 <= answer.status_code < 500, (where, answer.status_code, answer.text[:200])
    assert answer.headers["content-type"] == "application/problem+json", where
    assert len(answer.content) < 100_000, "a refusal does not send back what it refuses"
    assert "Traceback" not in answer.text


def test_bodies_that_are_big_deep_or_no_json(app: FastAPI, http: TestClient) -> None:
    ten = 10_000_000
    bodies = {
        "10 MB of one text": json.dumps({"query": "x" * ten, "corpus": "nowhere", "version": "x", "baseline": "x"}),
        "10 MB of numbers": "[" + "1," * (ten // 2) + "1]",
        "deep lists": "[" * 200_000 + "]" * 200_000,
        "deep objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
        "deep in a field": '{"query": "RETURN 1", "parameters": {"a": ' + "[" * 50_000 + "]" * 50_000 + "}}",
        "not a number": '{"k": NaN, "limit": Infinity}',
        "a huge number": '{"k": ' + "9" * 5_000 + "}",
        "no end": '{"query": "x',
        "nothing": "",
        "null": "null",
        "a text": '"x"',
    }
    paths = taking(app)
    assert len(paths) >= 9
    started = time.process_time()
    for path in paths:
        for what, body in bodies.items():
            is_refused(http.post(path, content=body, headers=JSON), (path, what))
    assert time.process_time() - started < 60


def test_wrong_content_types(app: FastAPI, http: TestClient) -> None:
    good = json.dumps({"query": "x", "corpus": "nowhere"})
    for path in taking(app):
        for kind in (
            "text/plain",
            "application/xml",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
        ):
            is_refused(http.post(path, content=good, headers={"content-type": kind}), (path, kind))
        is_refused(http.post(path, content=b"\xff\xfe\x00", headers=JSON), path)
        gzipped = JSON | {"content-encoding": "gzip"}
        is_refused(http.post(path, content=b"\x1f\x8b\x08", headers=gzipped), path)


def test_names_reach_no_file_and_no_statement(http: TestClient, graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [document("a", [("Acme", "based in", "Lun")])])
    before = graph.totals(corpus)
    for name in NAMES:
        for path in (
            f"/documents/{name}", f"/entities/{name}", f"/subgraphs/{name}", f"/jobs/{name}", f"/releases/{name}",
            f"/releases/{name}/files/{name}", f"/submissions/{name}", f"/static-offline-docs/{name}",
        ):  # fmt: skip
            answer = http.get(path.replace("\x00", "%00"), params={"corpus": corpus})
            assert answer.status_code in (400, 403, 404, 405, 422), (path[:80], answer.status_code, answer.text[:200])
            assert "root:" not in answer.text
            assert "SQLite format" not in answer.text
        for path, parameter in (
            ("/documents", "corpus"), ("/questions", "corpus"), ("/subgraphs/chain", "corpus"), ("/subgraphs/chain", "relation"),
            ("/subgraphs/chain", "after"), ("/documents", "after"), ("/leaderboard", "version"), ("/releases", "corpus"),
        ):  # fmt: skip
            answer = http.get(path, params={"corpus": corpus} | {parameter: name})
            assert answer.status_code in (200, 400, 404, 422), (path, parameter, name[:40], answer.text[:200])
            assert not answer.json().get("items"), (path, parameter, name[:40])
        for body in ({"query": name}, {"query": "Acme", "corpus": name}, {"query": "Acme", "documents": [name]}):
            answer = http.post("/retrieve", json={"corpus": corpus, "retriever": "bm25"} | body)
            assert answer.status_code < 500, (body, answer.text[:200])
        deleted = http.delete(f"/documents/{name}".replace("\x00", "%00"), params={"corpus": corpus})
        assert deleted.status_code in (404, 405), (name[:40], deleted.text[:200])
    assert graph.totals(corpus) == before


def test_a_corpus_of_an_earlier_version_can_have_any_name(
    http: TestClient, graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Graph, "check_written", lambda *_: None)
    for ending in ("'}) DETACH DELETE n //", "../../x", "<b>", "ä\u202e", "\n", "x" * 500, "@2031-01-01"):
        name = corpus + ending
        arcs = [("<script>alert(1)</script>", "' RETURN 1 //", "`Lun`")]
        try:
            loaded(graph, name, [document("../../etc/passwd", arcs)])
            found = http.get("/entities/<script>alert(1)</script>", params={"corpus": name})
            assert found.status_code == 200, found.text
            assert found.headers["content-type"] == "application/json"
            assert found.json()["facts"][0]["relation"] == "' RETURN 1 //"
            document_found = http.get("/documents/../../etc/passwd".replace("..", "%2e%2e"), params={"corpus": name})
            assert document_found.json()["document"]["source"] == "../../etc/passwd"
        finally:
            graph.remove_corpus(name)
