"""Bodies of requests: limits of each route, one parser off the event loop, and refusals that name what is wrong."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from kgservice.api import reading
from kgservice.api.app import create_app
from kgservice.api.reading import FAULTS, LIMIT, SMALL, VALUES, has_more_values, parse
from kgservice.api.routes.files import SIZE
from kgservice.core.errors import BadRequest
from kgservice.core.settings import Settings
from tests.conftest import examples
from tests.unit.test_api import NoGraph, is_problem

JSON = {"content-type": "application/json"}
ANY: TypeAdapter[Any] = TypeAdapter(Any)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.fixture
def http(tmp_path: Path) -> TestClient:
    app = create_app(Settings(home=tmp_path, api_keys={}, rate_limit=0), NoGraph())
    return TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000))


def taking(http: TestClient) -> dict[str, int]:
    """The routes that take a body, with its limit, from the OpenAPI document."""
    paths = http.get("/openapi.json").json()["paths"]
    return {
        path.replace("{key}", "0" * 32): operation[LIMIT]
        for path, item in paths.items()
        for operation in item.values()
        if "requestBody" in operation
    }


def test_each_route_says_its_limit_and_keeps_it(http: TestClient) -> None:
    routes = taking(http)
    assert {"/documents", "/submissions", "/retrieve", "/cypher", "/questions"} <= set(routes)
    for path, limit in routes.items():
        assert 0 < limit <= (SIZE if path == "/files" else 20_000_000)  # files go to disk, piece by piece
        said = http.post(path, content=b" ", headers=JSON | {"content-length": str(limit + 1)})
        assert f"{limit:,}" in is_problem(said, 413)["detail"]
        if limit <= 1_000_000:
            whole = b" " * (limit + 1)
            is_problem(http.post(path, content=(whole[at : at + 50_000] for at in range(0, len(whole), 50_000))), 413)


@pytest.mark.parametrize("size", [100, SMALL + 1_000])
def test_no_body_is_parsed_on_the_event_loop_or_twice(
    http: TestClient, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    loops, parsers = set[int](), list[int]()
    body, parser = reading.read_body, reading.jiter.from_json

    async def noted_body(*given: Any) -> bytes:
        loops.add(threading.get_ident())
        return await body(*given)

    def noted_parser(*given: Any, **named: Any) -> Any:
        parsers.append(threading.get_ident())
        return parser(*given, **named)

    monkeypatch.setattr(reading, "read_body", noted_body)
    monkeypatch.setattr(reading.jiter, "from_json", noted_parser)
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("parsed by another"))
    for path in taking_without_json():
        loops.clear()
        parsers.clear()
        http.post(path, content=b'{"none of its fields": "' + b"x" * size + b'"}', headers=JSON)
        assert len(parsers) == 1, path
        assert not loops.intersection(parsers), path


def taking_without_json() -> tuple[str, ...]:
    return ("/documents", "/submissions", "/retrieve", "/cypher", "/questions", "/questions/refresh", "/releases")


def test_a_caller_below_the_role_is_refused_before_the_body_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unread(*_: Any) -> bytes:
        raise AssertionError("the body was read")

    monkeypatch.setattr(reading, "read_body", unread)
    app = create_app(Settings(home=tmp_path, api_keys={"reader": "r", "admin": "a"}), NoGraph())  # type: ignore[arg-type]
    with TestClient(app, raise_server_exceptions=False) as http:
        for path in ("/documents", "/cypher", "/questions", "/releases", "/baselines"):
            is_problem(http.post(path, content=b"{", headers=JSON | {"X-API-Key": "r"}), 403)


@settings(max_examples=examples(60), deadline=None)
@given(VALUE, st.sampled_from([None, 1]))
def test_values_are_counted_outside_strings(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent).encode()
    assert parse(text, ANY) == value
    assert not has_more_values(text, counted(value))
    assert counted(value) == 0 or has_more_values(text, counted(value) - 1)


def counted(value: Any) -> int:
    """Its brackets and commas."""
    if not isinstance(value, list | dict):
        return 0
    items = list(value.values()) if isinstance(value, dict) else value
    return 1 + max(0, len(items) - 1) + sum(map(counted, items))


def test_commas_in_texts_do_not_count() -> None:
    assert parse(json.dumps({"text": ',[{"\\' * VALUES}).encode(), ANY)["text"].count(",") == VALUES


@pytest.mark.parametrize("piece", [b"{},", b"[],", b"1,", b'"",', b"[[["])
def test_too_many_values_are_refused_before_they_are_made(piece: bytes) -> None:
    with pytest.raises(HTTPException) as refused:
        parse(b"[" + piece * VALUES, ANY)
    assert refused.value.status_code == 413
    assert f"{VALUES:,}" in refused.value.detail


def test_names_that_come_twice_and_what_is_no_json() -> None:
    with pytest.raises(BadRequest, match="repeated"):
        parse(b'{"a": {"b": 1, "b": 2}}', ANY)
    for text in (b"{", b"", b"[" * VALUES, b'"\\ud800"', b"\xff", b"[1, 2"):
        with pytest.raises(RequestValidationError, match="json_invalid"):
            parse(text, ANY)


def test_very_many_faults_are_counted_only() -> None:
    numbers: TypeAdapter[list[int]] = TypeAdapter(list[int])
    with pytest.raises(RequestValidationError) as few:
        parse(b'["a", 1, "b"]', numbers)
    assert [one["loc"] for one in few.value.errors()] == [("body", 0), ("body", 2)]
    with pytest.raises(RequestValidationError, match=f"{FAULTS + 1:,} faults"):
        parse(json.dumps(["a"] * (FAULTS + 1)).encode(), numbers)
