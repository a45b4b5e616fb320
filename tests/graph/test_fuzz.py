"""Random requests with real ids, one after the other, by each role: `KGS_FUZZ=5000` (`make fuzz`) for a long run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.api.jobs import Jobs
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from tests.graph.documents import document, loaded
from tests.graph.fuzz import KEYS, fuzz

CASES = int(os.environ.get("KGS_FUZZ", "200"))
SHARES = {"reader": 0.4, "curator": 0.3, "admin": 0.3}


@pytest.fixture
def app(graph: Graph, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FastAPI]:
    monkeypatch.setattr(Jobs, "_put", lambda *_: None)  # what is ordered waits
    arcs = [
        (f"Town {n}", relation, f"Thing {n % 7}") for n in range(20 + CASES // 60) for relation in ("based in", "mayor")
    ]
    loaded(graph, corpus, [document(f"d{n}", [arc]) for n, arc in enumerate(arcs)])
    generate(graph, corpus, Plan(patterns=("single", "chain", "star")))
    settings = Settings(home=tmp_path, api_keys=KEYS, rate_limit=0, submissions_a_day=0)  # type: ignore[arg-type]
    create(graph, corpus, Archive(settings.releases), 20)
    made = create_app(settings, graph)
    http = TestClient(made, headers={"X-API-Key": KEYS["admin"]})
    questions = http.get("/releases/1.0.0/files/public_questions.jsonl").text.splitlines()
    results = {json.loads(row)["public_id"]: {"found_ids": [], "model_answer": "Thing 1"} for row in questions}
    for role, key in KEYS.items():  # what there is to ask about
        body = {"version": "1.0.0", "system": role, "results": results}
        assert http.post("/submissions", json=body, headers={"X-API-Key": key}).status_code == 202
    text = {"id": "ordered", "text": "Ansund is a town."}
    ordered = http.post("/documents", json={"corpus": corpus, "documents": [text]})  # a job that there always is
    assert ordered.status_code == 202
    yield made


@pytest.mark.parametrize("role", sorted(SHARES))
def test_no_sequence_of_requests_fails(app: FastAPI, corpus: str, role: str) -> None:
    told = fuzz(app, corpus, role, round(CASES * SHARES[role]))
    print(told)
    assert told.failures == []
    assert told.statuses.total() >= 0.9 * CASES * SHARES[role]
    assert len(told.operations) >= min(15, round(CASES * SHARES[role]) // 3)
    assert not [status for status in told.statuses if status >= 500]
    assert told.statuses[404] <= 0.05 * told.statuses.total() + 2
