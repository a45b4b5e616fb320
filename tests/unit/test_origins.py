"""Where requests may come from: this machine's names, own pages, no proxy without keys; redirects say no host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.api.entry.origins import FORWARDED
from kgservice.core.settings import Settings
from tests.unit.test_api import NoGraph, is_problem

KEY = {"X-API-Key": "a-key"}


def client(tmp_path: Path, *, keyed: bool = False, **known: Any) -> TestClient:
    given = {"home": tmp_path, "api_keys": {"admin": "a-key"} if keyed else {}, "rate_limit": 0, **known}
    return TestClient(create_app(Settings(**given), NoGraph()), raise_server_exceptions=False)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "", "[", "0.0.0.0"],
)
def test_without_keys_only_this_machines_names_are_served(tmp_path: Path, host: str) -> None:
    http = client(tmp_path)
    for method, path in (
        ("GET", "/jobs"),
        ("POST", "/cypher"),
        ("POST", "/documents"),
        ("GET", "/"),
        ("GET", "/openapi.json"),
    ):
        is_problem(http.request(method, path, headers={"Host": host}), 403)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8000", "localhost:8000", "LOCALHOST", "localhost.", "[::1]:8000", "127.8.8.8"]
)
def test_this_machines_names(tmp_path: Path, host: str) -> None:
    assert client(tmp_path).get("/jobs", headers={"Host": host}).status_code == 200


def test_further_names_are_a_setting(tmp_path: Path) -> None:
    kept = client(tmp_path, keyed=True, hosts=("KG.example",))
    assert kept.get("/jobs", headers=KEY | {"Host": "kg.example:443"}).status_code == 200
    assert kept.get("/jobs", headers=KEY | {"Host": "127.0.0.1:8000"}).status_code == 200
    is_problem(kept.get("/jobs", headers=KEY | {"Host": "evil.example"}), 403)
    assert client(tmp_path, keyed=True).get("/jobs", headers=KEY | {"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://evil.example", "null", "http://localhost:3000", "http://["]
)
def test_pages_of_others_change_nothing(tmp_path: Path, origin: str, keyed: bool) -> None:
    http, headers = client(tmp_path, keyed=keyed), KEY | {"Origin": origin, "Host": "localhost:8000"}
    for method, path in (
        ("POST", "/documents"),
        ("POST", "/submissions"),
        ("DELETE", "/documents/x"),
        ("POST", "/cypher"),
    ):
        assert "page of" in is_problem(http.request(method, path, json={}, headers=headers), 403)["detail"]
    answer = http.get("/jobs", headers=headers)
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_own_pages_do(tmp_path: Path) -> None:
    same = {"Origin": "http://localhost:8000", "Host": "localhost:8000"}
    is_problem(client(tmp_path).post("/documents", json={}, headers=same), 422)
    behind = {"Origin": "https://kg.example", "Host": "127.0.0.1:8000"}
    is_problem(
        client(tmp_path, keyed=True, hosts=("kg.example",)).post("/documents", json={}, headers=KEY | behind), 422
    )


def test_a_proxy_needs_keys(tmp_path: Path) -> None:
    for name in FORWARDED:
        found = is_problem(client(tmp_path).get("/jobs", headers={name: "192.0.2.7"}), 403)
        assert "keys create" in found["detail"]
    assert client(tmp_path, keyed=True).get("/jobs", headers=KEY | {"Via": "1.1 x"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/web", "/documents/"])
def test_redirects_say_no_host(tmp_path: Path, path: str) -> None:
    answer = client(tmp_path, keyed=True).get(path, headers=KEY | {"Host": "evil.example"}, follow_redirects=False)
    if path != "/documents/":
        assert answer.status_code == 307
    assert "evil" not in answer.headers.get("location", "")
    assert not answer.headers.get("location", "").startswith("//")
