"""Random requests from the OpenAPI document: no route fails unexpectedly, every answer is as documented."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from kgservice.api.app import create_app
from kgservice.api.jobs import Jobs
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from tests.graph.documents import document, loaded

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
ARCS = [("Acme", "based in", "Lun"), ("Lun", "mayor", "Ada"), ("Bolt", "based in", "Lun")]


def test_requests_from_the_document(graph: Graph, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Jobs, "_put", lambda *_: None)  # what is ordered waits
    loaded(graph, corpus, [document("a", ARCS[:2], ARCS[2:])])
    app = create_app(Settings(home=tmp_path, api_keys={}), graph)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    found = operations(schema)
    assert {("/metrics", "get"), ("/releases", "post"), ("/baselines", "post"), ("/cypher", "post")} <= set(found)
    for path, method in found:
        operation, examples = schema[path][method], 10 if method == "get" else 5

        @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def answers_as_documented(case: Case) -> None:
            if "corpus" in (case.query or {}):
                case.query["corpus"] = corpus
            elif isinstance(case.body, dict) and "corpus" in case.body:
                case.body["corpus"] = corpus
            case.call_and_validate(checks=CHECKS)

        answers_as_documented()


def operations(schema: schemathesis.BaseSchema) -> list[tuple[str, str]]:
    return sorted((path, method) for path, item in schema.raw_schema["paths"].items() for method in item)
