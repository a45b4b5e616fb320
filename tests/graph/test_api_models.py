"""A language model at work over HTTP: as jobs, for curators, within a budget; cancelled, and failing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from kgservice.api.app import create_app
from kgservice.core.price import Price
from kgservice.core.settings import RoleModel, Settings
from kgservice.graph.store import Graph
from tests.graph.test_api import finished
from tests.llm_server import KEY, LLMServer, form, triplets
from tests.unit.wording_model import answered

KEYS = {"reader": "r-key", "curator": "c-key"}
CURATOR = {"X-API-Key": "c-key"}


def said(request: Mapping[str, Any]) -> Any:
    return triplets(request) if "triplets" in (form(request) or {}).get("properties", {}) else answered(request)


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer(said) as running:
        yield running


@pytest.fixture
def http(graph: Graph, tmp_path: Path, server: LLMServer) -> Iterator[TestClient]:
    model = {"llm_base_url": server.url, "llm_api_key": SecretStr(KEY), "llm_model": "test-model", "llm_concurrency": 2}
    prices = dict.fromkeys(("test-model", "a-judge"), Price(input=1.0, output=2.0))
    model |= {"llm_judge": RoleModel(model="a-judge")}
    settings = Settings(home=tmp_path, api_keys=KEYS, llm_max_tokens=500, llm_prices=prices, **model)  # type: ignore[arg-type]
    with TestClient(create_app(settings, graph), raise_server_exceptions=False, headers=CURATOR) as opened:
        yield opened


def delivery(corpus: str, number: int = 6, **known: Any) -> dict[str, Any]:
    documents = [{"id": f"{n}", "text": f"Town N{n} lies near Lake P{n}."} for n in range(number)]
    return {"documents": documents, "corpus": corpus, "vectors": False, "extract": "llm", "budget": "1"} | known


def test_documents_are_read_and_questions_worded_by_a_model(http: TestClient, corpus: str, server: LLMServer) -> None:
    queued = http.post("/documents", json=delivery(corpus))
    assert queued.status_code == 202, queued.text
    job = finished(http, queued.headers["location"])
    assert (job["state"], job["resumes"], job["by"]) == ("done", False, "any curator")
    assert job["report"]["windows"] == {"in": 6, "read": 6, "failed": {}}
    assert job["report"]["triplets"]["kept"] == 6
    assert job["report"]["llm"]["stages"]["extract"]["calls"] == 6

    assert {request["model"] for request in server.requests} == {"test-model"}
    ask = {"corpus": corpus, "patterns": ["single"], "llm": True, "votes": 1, "budget": "200000tokens"}
    ask["choice"] = {"open": True}  # "lies near" is in no schema
    queued = http.post("/questions", json=ask)
    assert queued.status_code == 202, queued.text
    job = finished(http, queued.headers["location"])
    assert (job["kind"], job["state"]) == ("questions", "done"), job["error"]
    report = job["report"]
    assert report["given"] == report["worded"] + sum(report["rejected"].values()) + sum(report["failed"].values())
    assert report["worded"] > 0, str(report["failed"]) + str(report["llm"])
    assert job["progress"] == {"worded": report["given"]}
    found = http.get("/questions", params={"corpus": corpus, "state": "active"}).json()["items"]
    assert {one["metadata"]["worded_by"] for one in found} == {"test-model"}
    assert {request["model"] for request in server.requests} == {"test-model", "a-judge"}

    reader = http.get(queued.headers["location"], headers={"X-API-Key": "r-key"}).json()
    assert (reader["state"], reader["report"], reader["by"]) == ("done", None, "")
    assert KEY not in json.dumps(job)


def test_a_model_is_for_curators_who_say_what_it_may_cost(http: TestClient, corpus: str, server: LLMServer) -> None:
    for body, status, words in (
        (delivery(corpus, budget=None), 400, "give a budget"),
        (delivery(corpus, budget="much"), 409, "give USD"),
        (delivery(corpus, extract="rules"), 400, "ask for one too"),
        (delivery(corpus, extract="rules:../pipeline", budget=None), 422, "extract"),
        (delivery(corpus, extract="llm:0"), 422, "extract"),
    ):
        refused = http.post("/documents", json=body)
        assert (refused.status_code, words in refused.text) == (status, True), refused.text
    for body, words in (({"llm": True}, "give a budget"), ({"budget": "1"}, "ask for one too")):
        assert words in http.post("/questions", json={"corpus": corpus} | body).text
    for path, body in (("/documents", delivery(corpus)), ("/questions", {"llm": True, "budget": "1"})):
        assert http.post(path, json=body, headers={"X-API-Key": "r-key"}).status_code == 403
    assert http.get("/jobs").json() == {"items": []}
    assert not server.asked


def test_a_budget_is_kept_and_what_was_left_is_counted(http: TestClient, corpus: str, server: LLMServer) -> None:
    job = finished(http, http.post("/documents", json=delivery(corpus, budget="8000tokens")).headers["location"])
    windows = job["report"]["windows"]
    assert windows["in"] == windows["read"] + windows["failed"]["budget reached"] == 6
    assert 0 < windows["read"] < 6, str(job["report"])


def test_a_cancelled_job_asks_no_more(http: TestClient, corpus: str, server: LLMServer) -> None:
    server.delay = 0.2
    where = http.post("/documents", json=delivery(corpus, 60)).headers["location"]
    while http.get(where).json()["progress"].get("read", 0) < 2:
        assert http.get(where).json()["finished"] is None
    assert http.delete(where).status_code == 202
    job = finished(http, where)
    assert (job["state"], job["report"]) == ("cancelled", None)
    assert len(server.asked) < 40


def test_without_a_model_that_is_said_at_once(graph: Graph, corpus: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, api_keys={}, llm_base_url=None, llm_model=None)
    with TestClient(create_app(settings, graph), raise_server_exceptions=False) as http:
        refused = http.post("/documents", json=delivery(corpus))
        assert (refused.status_code, "KGS_LLM_BASE_URL" in refused.text) == (409, True)
