"""Random requests from the OpenAPI document: no route fails unexpectedly, every answer is as documented."""

from __future__ import annotations

from pathlib import Path

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
from kgservice.graph.store import Graph
from kgservice.settings import Settings
from tests.graph.documents import document, loaded

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
ARCS = [("Acme", "based in", "Lun"), ("Lun", "mayor", "Ada"), ("Bolt", "based in", "Lun")]


def test_requests_from_the_document(graph: Graph, corpus: str, tmp_path: Path) -> None:
    loaded(graph, corpus, [document("a", ARCS[:2], ARCS[2:])])
    app = create_app(Settings(home=tmp_path, api_keys={}), graph)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    reading = [
        schema[path][method]
        for path, method in operations(schema)
        if method == "get" or path in ("/retrieve", "/submissions")
    ]
    assert len(reading) == 23
    for operation in reading:

        @settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
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
