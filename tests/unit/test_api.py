"""The API without a database: keys, roles, problems, limits, documentation."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, ValidationError

from kgservice.api.app import create_app
from kgservice.api.routes.questions import Generation
from kgservice.api.routes.retrieve import Search
from kgservice.api.routes.subgraphs import SubgraphQuery
from kgservice.api.routes.views import ViewOrder
from kgservice.api.sent_documents import GivenDocument, read
from kgservice.core.errors import GraphUnavailable, SettingsError
from kgservice.core.records import Document, Problem
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.retrieval.filter import SearchFilter

KEYS = {"reader": "r-key", "curator": "c-key", "admin": "a-key-é"}


class NoGraph(Graph):
    """Stands where a graph would; any use of it is an unexpected error."""

    def __init__(self) -> None: ...


def client(tmp_path: Path, keys: dict[str, str], host: str = "127.0.0.1") -> TestClient:
    settings = Settings(home=tmp_path, api_keys=keys)  # type: ignore[arg-type]
    app = create_app(settings, NoGraph())
    return TestClient(app, raise_server_exceptions=False, client=(host, 50000))


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[TestClient]:
    with client(tmp_path, KEYS) as opened:
        yield opened


def is_problem(response: Any, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["status"] == status
    assert found["title"]
    return found


@pytest.mark.parametrize("path", ["/jobs", "/documents", "/entities/x", "/subgraphs/chain", "/questions", "/corpora"])
def test_reading_needs_a_key(keyed: TestClient, path: str) -> None:
    assert "X-API-Key" in is_problem(keyed.get(path), 401)["detail"]
    is_problem(keyed.get(path, headers={"X-API-Key": "r-key2"}), 401)
    is_problem(keyed.get(path, headers={"Authorization": "Bearer "}), 401)


def test_keys_come_in_either_header(keyed: TestClient) -> None:
    assert keyed.get("/jobs", headers={"X-API-Key": "r-key"}).status_code == 200
    assert keyed.get("/jobs", headers={"Authorization": "Bearer c-key"}).status_code == 200
    assert keyed.get("/jobs", headers={"X-API-Key": "a-key-é".encode()}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/documents"),
        ("DELETE", "/documents/x"),
        ("DELETE", "/jobs/x"),
        ("POST", "/questions"),
        ("POST", "/questions/refresh"),
        ("POST", "/cypher"),
    ],
)
def test_changing_needs_a_curator(keyed: TestClient, method: str, path: str) -> None:
    found = is_problem(keyed.request(method, path, json={}, headers={"X-API-Key": "r-key"}), 403)
    assert "curator" in found["detail"]
    for key in ("c-key", "a-key-é"):
        assert keyed.request(method, path, json={}, headers={"X-API-Key": key.encode()}).status_code not in (401, 403)


def test_without_keys_cypher_answers_this_machine_only(tmp_path: Path) -> None:
    found = is_problem(client(tmp_path, {}, host="192.0.2.7").post("/cypher", json={"query": "RETURN 1"}), 403)
    assert "KGS_API_KEYS" in found["detail"]
    is_problem(client(tmp_path, {}, host="::1").post("/cypher", json={}), 422)
    assert client(tmp_path, {}, host="192.0.2.7").get("/jobs").status_code == 200


@pytest.mark.parametrize("keys", [{"reader": ""}, {"owner": "x"}, {"reader": "x", "admin": "x"}])
def test_unusable_keys_are_refused_at_once(tmp_path: Path, keys: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="KGS_API_KEYS"):
        client(tmp_path, keys)


def test_errors_are_problems(tmp_path: Path) -> None:
    opened = client(tmp_path, {})
    assert is_problem(opened.get("/nowhere"), 404)["detail"] == "Not Found"
    found = is_problem(opened.get("/subgraphs?pattern=single"), 404)
    assert found["detail"] == "nothing is at /subgraphs: ask /subgraphs/{pattern}"
    is_problem(opened.put("/health"), 405)
    found = is_problem(opened.post("/retrieve", json={"k": "many"}), 422)
    assert {error["field"] for error in found["errors"]} == {"body.query", "body.k"}
    is_problem(opened.post("/retrieve", content=b"{", headers={"content-type": "application/json"}), 422)
    is_problem(opened.get("/jobs/none"), 404)
    # lone surrogates and numbers that no database holds
    lone = json.dumps({"query": "\ud800"}).encode()
    is_problem(opened.post("/retrieve", content=lone, headers={"content-type": "application/json"}), 422)
    lone = json.dumps({"documents": [{"id": "a", "text": "b", "metadata": {"n": "\ud800"}}]}).encode()
    is_problem(opened.post("/documents", content=lone, headers={"content-type": "application/json"}), 422)
    huge = json.dumps({"documents": [{"id": "a", "text": "b", "metadata": {"n": float("nan")}}]}).encode()
    is_problem(opened.post("/documents", content=huge, headers={"content-type": "application/json"}), 422)


def test_an_unexpected_error_says_nothing_of_the_code(tmp_path: Path) -> None:
    found = is_problem(client(tmp_path, {}).get("/health"), 500)
    assert "NoGraph" not in json.dumps(found)
    assert "Traceback" not in json.dumps(found)


def test_a_generation_names_a_pattern(tmp_path: Path) -> None:
    found = is_problem(client(tmp_path, {}).post("/questions", json={"patterns": []}), 422)
    assert [error["field"] for error in found["errors"]] == ["body.patterns"]


def test_queries_and_questions_are_as_long_as_their_limits_allow(tmp_path: Path) -> None:
    opened = client(tmp_path, {})
    forms = opened.get("/openapi.json").json()["components"]["schemas"]
    for path, form, name, limit in (
        ("/retrieve", "Search", "query", 10_000),
        ("/ask", "QuestionAsked", "question", 1_000),
    ):
        assert forms[form]["properties"][name]["maxLength"] == limit
        found = is_problem(opened.post(path, json={name: "x" * (limit + 1)}), 422)
        assert [error["field"] for error in found["errors"]] == [f"body.{name}"]


@pytest.mark.parametrize("path", ["/documents", "/retrieve", "/questions", "/cypher"])
def test_an_empty_body_is_refused_with_what_to_send(tmp_path: Path, path: str) -> None:
    for headers in ({}, {"content-type": "application/json"}):
        found = is_problem(client(tmp_path, {}).post(path, headers=headers), 422)
        assert found["detail"] == "body: the body is empty: send a JSON object, see /docs"


def test_a_database_that_is_away_is_not_described_to_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object, **__: object) -> None:
        raise GraphUnavailable("nothing at bolt://10.0.0.1")

    monkeypatch.setattr(NoGraph, "read", away)
    answer = client(tmp_path, {}).get("/health")
    assert "10.0.0.1" not in is_problem(answer, 503)["detail"]
    assert answer.headers["retry-after"]
    assert "10.0.0.1" in caplog.text


def test_docs_need_no_other_host(tmp_path: Path) -> None:
    opened = client(tmp_path, {})
    page = opened.get("/docs").text
    assert "http://" not in page
    assert "https://" not in page
    for file in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png"):
        assert file in page
        assert opened.get(f"/static-offline-docs/{file}").status_code == 200


def test_openapi_documents_problems_and_examples(tmp_path: Path) -> None:
    schema = client(tmp_path, {}).get("/openapi.json").json()
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            assert operation["description"], (method, path)
            assert "application/problem+json" in operation["responses"]["default"]["content"], (method, path)
    assert schema["components"]["schemas"]["Delivery"]["examples"][0]["documents"]


@pytest.mark.whole
def test_importing_the_app_loads_no_model_library() -> None:
    code = "import sys, kgservice.api.app; print([m for m in ('torch', 'transformers', 'spacy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("given", ["2031", 2031, "20310314", 20310314, "14.03.2031", 0.5, True])
def test_a_number_is_no_date(given: object) -> None:
    with pytest.raises(ValidationError, match="write 2031-03-14 or 2031-03-14T09:30:00Z"):
        GivenDocument.model_validate({"id": "a", "text": "x", "published": given})


@pytest.mark.parametrize("form", [SearchFilter, Search, Generation, ViewOrder, SubgraphQuery])
def test_no_request_takes_a_number_for_a_day(form: type[BaseModel]) -> None:
    for name in {"as_of", "published_since", "published_until"} & form.model_fields.keys():
        with pytest.raises(ValidationError, match="write 2031-03-14"):
            form.model_validate({"query": "x", name: "0"})


def test_given_documents_become_those_of_a_load() -> None:
    given = [
        GivenDocument.model_validate(
            {
                "id": " a ",
                "title": "A  title",
                "text": "Acme was founded\r\nin 1904.",
                "published": "2031-03-14T09:30:00Z",
                "metadata": {"year": 2031, "ok": True, "share": 0.5, "by": "Ada"},
                "triplets": [
                    {"subject": "Acme", "relation": " founded  in", "object": {"label": "1904", "kind": "date"}},
                    {"subject": " ", "relation": "r", "object": "o"},
                ],
            }
        ),
        GivenDocument(id="blank", text=" \n"),
        GivenDocument(id="plain", text="Text."),
    ]
    first, blank, plain = read(given)
    assert isinstance(first, Document)
    assert isinstance(plain, Document)
    assert (first.source, first.title, str(first.published)) == ("a", "A title", "2031-03-14")
    assert first.text == "Acme was founded\nin 1904."
    assert first.metadata == {"year": 2031, "ok": True, "share": 0.5, "by": "Ada"}
    assert first.triplets is not None
    assert [(t.subject.label, t.relation, t.object.kind) for t in first.triplets] == [("Acme", "founded in", "date")]
    assert [problem.reason for problem in first.malformed] == ["empty end"]
    assert blank == Problem(source="blank", state="rejected", reason="no text", detail="give the document's text")
    assert plain.triplets is None
