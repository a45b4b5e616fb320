"""A sequence of random requests from the OpenAPI document: `make fuzz` sends 5,000.

Each step is linked to those before: its ids are those of what there is now, the jobs, submissions and documents that
earlier steps made or removed included. (OpenAPI's own links could say the same at fewer places only.)
"""

from __future__ import annotations

import json
import time
from collections import Counter
from random import Random
from typing import Any

import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

# what a deleted job or submission says afterwards is meant: it is kept, cancelled or withdrawn (no use_after_free); that
# a corpus, a key or a plan does not fit what there is no schema can say (no positive_data_acceptance)
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance, unsupported_method, allow_header_conformance,
]  # fmt: skip
REAL = 0.97  # of the ids are those of something that there is
SLOW = 10.0  # seconds


class Ids:
    """What there is, read anew before each case, as the cases remove some of it."""

    def __init__(self, http: TestClient, corpus: str, role: str, seed: int) -> None:
        self._http, self._corpus, self._role, self._luck = http, corpus, role, Random(seed)

    def fill(self, case: Case) -> None:
        """Put ids in a case's path, query and body."""
        self._put(case, dict(case.path_parameters or {}), "path_parameters")
        asked = {one["name"] for one in case.operation.definition.raw.get("parameters", ())}
        self._put(case, ({"corpus": ""} if "corpus" in asked else {}) | dict(case.query or {}), "query")
        if isinstance(case.body, dict):
            held = case.path.startswith(("/questions", "/releases", "/retrieve", "/documents", "/ask", "/views"))
            names = {"corpus": ""} if held and case.method == "POST" and "{" not in case.path else {}
            self._put(case, names | dict(case.body), "body")

    def _put(self, case: Case, values: dict[str, Any], part: str) -> None:
        for name in values:
            known = self._known(case.path, name, case.method) if self._luck.random() < REAL else []
            if known:
                values[name] = self._luck.choice(known)
        if part == "query" and case.path.startswith(("/documents/", "/entities/")):
            values.pop("corpus", None)  # a key says of which corpus it is
        setattr(case, part, values)

    def _known(self, path: str, name: str, method: str) -> list[Any]:
        start = path.split("/")[1]
        if start == "submissions" and name == "key":
            own = self._get("/submissions")["items"]
            return [one["id"] for one in own if self._role == "admin" or one["owner"] == f"any {self._role}"]
        if name == "key" and start != "chunks":
            return (
                self._items("/jobs", "id") if start == "jobs" else self._items(f"/{start}", "id", corpus=self._corpus)
            )
        if name == "name" and "{name}" in path:
            if start == "releases":
                return [one["name"] for one in self._get("/releases/latest")["files"] if one["access"] == "public"]
            return self._items(f"/{start}", "key", corpus=self._corpus)
        fixed = {
            "corpus": [self._corpus], "pattern": ["single", "chain", "star"], "patterns": [["single"]], "version": ["1.0.0", "latest"],
            "since": ["1.0.0"], "after": [""], "entity": ["Town 1", "Thing 1"], "resubmits": [None], "baseline": ["bm25 + best sentence"],
            "retriever": ["bm25", "graph"], "documents": [[]] if path == "/retrieve" else [],
        }  # fmt: skip
        return fixed.get(name, [])

    def _items(self, path: str, field: str, **parameters: str) -> list[Any]:
        return [one[field] for one in self._get(path, **parameters)["items"]]

    def _get(self, path: str, **parameters: str) -> Any:
        answer = self._http.get(path, params=parameters, headers={"X-API-Key": KEYS["admin"]})
        assert answer.is_success, answer.text
        return answer.json()


KEYS = {"reader": "reader-key", "curator": "curator-key", "admin": "admin-key"}


class Told:
    """What a run came to."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.operations: Counter[str] = Counter()
        self.slow: list[str] = []
        self.lost: Counter[str] = Counter()
        self.failures: list[str] = []

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self.statuses[status] += 1
        self.operations[operation] += 1
        self.slow += [operation] if seconds > SLOW else []
        self.lost.update([operation] if status == 404 else [])

    def validated(self, response: Any, case: Case) -> None:
        """Gather what is wrong with an answer, so that one failure does not end the run."""
        for check in CHECKS:
            try:
                case.validate_response(response, checks=[check])
            except Exception as error:  # noqa: BLE001 - a group of failures, or one
                self.failures.append(f"{case.operation.label} {response.status_code}: {str(error)[:300]}")

    def __str__(self) -> str:
        cases = self.statuses.total()
        return json.dumps({
            "cases": cases, "operations": len(self.operations), "404": round(self.statuses[404] / max(1, cases), 4), "statuses": dict(sorted(self.statuses.items())),
            "slow": self.slow, "404s": self.lost.most_common(5), "failures": self.failures[:20],
        })  # fmt: skip


def fuzz(app: FastAPI, corpus: str, role: str, cases: int, seed: int = 0) -> Told:
    """Send so many requests with the key of a role, and say what came back."""
    told, http = Told(), TestClient(app, raise_server_exceptions=False)
    ids = Ids(http, corpus, role, seed)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)

    operations = [one.ok() for one in schema.get_all_operations()]

    @settings(
        max_examples=cases, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=st.sampled_from(operations).flatmap(lambda one: one.as_strategy()))
    def step(case: Case) -> None:
        ids.fill(case)
        started = time.perf_counter()
        response = case.call(headers={"X-API-Key": KEYS[role]})
        told.answered(case.operation.label, response.status_code, time.perf_counter() - started)
        told.validated(response, case)

    step()
    return told
