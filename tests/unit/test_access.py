"""Keys, limits, audit, ids and metrics: what every request passes."""

from __future__ import annotations

import json
import logging
import socket
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from io import StringIO
from pathlib import Path

import pytest
import typer
from fastapi.testclient import TestClient
from pydantic import SecretStr

from kgservice.api.app import alone, create_app
from kgservice.api.entry.access import Keys, check_public, shared
from kgservice.api.entry.limit import Limit
from kgservice.api.entry.logs import JsonLines
from kgservice.cli.serve import check_port
from kgservice.cli.up import _can_serve
from kgservice.core.errors import BadRequest, NotFound, SettingsError
from kgservice.core.settings import Settings
from tests.unit.test_api import NoGraph, is_problem


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, api_keys={}, rate_limit=0)


@pytest.fixture
def keys(settings: Settings) -> Keys:
    return Keys(settings.keys, {})


@pytest.fixture
def http(settings: Settings) -> Iterator[TestClient]:
    app = create_app(settings, NoGraph())
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000)) as opened:
        yield opened


def acts(home: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (home / "audit.jsonl").read_text(encoding="utf-8").splitlines()]


def test_only_a_hash_of_a_key_is_kept(keys: Keys, settings: Settings) -> None:
    key, secret = keys.create("team-a", "reader")
    assert len(secret) > 40
    assert secret.encode() not in settings.keys.read_bytes()
    assert stat.S_IMODE(settings.keys.stat().st_mode) == 0o600
    caller = keys.caller(secret)
    assert caller is not None
    assert (caller.owner, caller.role, caller.shared) == ("team-a", "reader", False)
    assert keys.caller(key.sha256) is None
    assert keys.caller(f"{secret} ") is None


def test_a_revoked_key_is_refused_at_once_and_its_name_can_have_another(keys: Keys, settings: Settings) -> None:
    other = Keys(settings.keys, {})  # of another process
    assert not other.configured()
    _, secret = keys.create("team-a", "reader")
    assert other.caller(secret)
    with pytest.raises(BadRequest, match="has a key"):
        other.create("team-a", "admin")
    keys.revoke("team-a")
    assert other.caller(secret) is None
    assert other.configured(), "without valid keys the service would be open"
    with pytest.raises(NotFound, match="there are: none"):
        keys.revoke("team-a")
    _, second = keys.create("team-a", "curator")
    caller = other.caller(second)
    assert caller is not None
    assert (caller.owner, caller.role) == ("team-a", "curator")
    assert [bool(one.revoked) for one in other.all()] == [True, False]


def test_a_key_ends_and_its_last_use_is_known(keys: Keys, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    key, secret = keys.create("team-a", "reader", days=30)
    assert keys.caller(secret)
    (one,) = Keys(settings.keys, {}).all()
    assert one.used is not None
    assert abs((one.used - key.created).total_seconds()) < 60
    assert key.expires == key.created + timedelta(days=30)
    later = key.created + timedelta(days=30)
    assert [key.state(later - timedelta(seconds=1)), key.state(later)] == ["valid", "expired"]

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return later

    monkeypatch.setattr("kgservice.api.entry.access.datetime", Clock)
    assert keys.caller(secret) is None
    assert keys.configured(), "without valid keys the service would be open"
    assert keys.caller(keys.create("team-a", "reader")[1]), "its name is free again"


@pytest.mark.parametrize("name", ["", "any reader", "the service", "../x", "a" * 65, "ä", "-x"])
def test_names_of_keys_are_plain(keys: Keys, name: str) -> None:
    with pytest.raises(BadRequest, match="no name"):
        keys.create(name, "reader")


def test_weak_secrets_are_refused_outside_this_machine(keys: Keys, settings: Settings) -> None:
    check_public("127.0.0.1", keys, {})
    check_public("localhost", keys, {"admin": SecretStr("x")})
    with pytest.raises(SettingsError, match="keys create"):
        check_public("0.0.0.0", keys, {})
    for weak in ("changeme", "a" * 40):
        given = {"admin": SecretStr(weak), "reader": SecretStr("Q7kd0-2mzLx_91hTvbR4cnEw")}
        with pytest.raises(SettingsError, match=r"the key of admin is too weak") as refused:
            check_public("192.0.2.7", Keys(settings.keys, given), given)
        assert weak not in str(refused.value)
    keys.create("boss", "admin")
    check_public("::", keys, {})


def test_a_key_in_the_place_of_its_role_is_not_told() -> None:
    with pytest.raises(SettingsError, match="the roles are") as refused:
        shared({"a-long-secret-of-somebody": SecretStr("admin")})
    assert "secret" not in str(refused.value)


def test_a_key_made_while_the_service_runs(http: TestClient, keys: Keys) -> None:
    assert http.get("/jobs").status_code == 200
    _, secret = keys.create("team-a", "reader")
    is_problem(http.get("/jobs"), 401)
    assert http.get("/jobs", headers={"X-API-Key": secret}).status_code == 200
    assert http.get("/jobs", headers={"Authorization": f"bearer {secret}"}).status_code == 200
    is_problem(http.post("/cypher", json={}, headers={"X-API-Key": secret}), 403)
    keys.revoke("team-a")
    is_problem(http.get("/jobs", headers={"X-API-Key": secret}), 401)
    assert http.get("/docs").status_code == 200


def test_nothing_is_read_from_who_has_no_key(http: TestClient, keys: Keys) -> None:
    keys.create("boss", "admin")
    for headers in ({}, {"X-API-Key": "wrong"}):
        answer = http.post("/documents", content=b"{not json", headers=headers | {"content-type": "application/json"})
        is_problem(answer, 401)
    boss = {"X-API-Key": keys.create("ed", "admin")[1], "content-type": "application/json"}
    is_problem(http.post("/documents", content=b"{not json", headers=boss), 422)


def test_each_caller_has_requests_of_its_own() -> None:
    now = 0.0
    limit = Limit(60, lambda: now)
    assert [limit.wait("a") for _ in range(60)] == [0.0] * 60
    assert limit.wait("a") == pytest.approx(1.0)
    assert limit.wait("b") == 0.0
    now = 0.5
    assert limit.wait("a") == pytest.approx(0.5)
    now = 2.0
    assert [limit.wait("a") > 0 for _ in range(3)] == [False, False, True]
    assert {Limit(0).wait("a") for _ in range(1_000)} == {0.0}


def test_a_limit_forgets_who_came_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgservice.api.entry.limit.REMEMBERED", 10)
    now = 0.0
    limit = Limit(60, lambda: now)
    for number in range(500):
        now += 1
        limit.wait(f"address {number}")
    assert len(limit._buckets) <= 11


def test_too_many_requests(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, api_keys={}, rate_limit=3)
    keys = Keys(settings.keys, {})
    secrets = [keys.create(name, "reader")[1] for name in ("a", "b")]
    app = create_app(settings, NoGraph())
    with TestClient(app, raise_server_exceptions=False) as http:
        codes = [[http.get("/jobs", headers={"X-API-Key": one}).status_code for _ in range(4)] for one in secrets]
        assert codes == [[200, 200, 200, 429]] * 2
        refused = http.get("/jobs", headers={"X-API-Key": secrets[0]})
        is_problem(refused, 429)
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        guesses = [http.get("/jobs", headers={"X-API-Key": str(one)}).status_code for one in range(4)]
        assert guesses == [401, 401, 401, 429]  # of one address, whatever key it tries
        of_page = [http.get("/web/app.js").status_code for _ in range(4)]
        assert of_page == [200] * 4  # the page's files do not count, but no keys can be tried with them
        assert http.get("/web/app.js", headers={"X-API-Key": "guessed"}).status_code == 429


def test_the_audit_says_who_did_what_and_no_secret(http: TestClient, keys: Keys, tmp_path: Path) -> None:
    _, secret = keys.create("boss", "admin")
    headers = {"X-API-Key": secret, "X-Request-ID": "from-a-proxy.1"}
    http.get("/jobs", headers=headers)
    http.post("/retrieve", json={}, headers=headers)
    http.delete(f"/submissions/{'0' * 32}", headers=headers)
    http.get("/jobs", headers={"X-API-Key": "guessed"})
    one, two = acts(tmp_path)
    at = one.pop("at")
    assert str(at).startswith("20")
    assert one == {
        "request": "from-a-proxy.1", "caller": "boss", "role": "admin", "address": "127.0.0.1",
        "did": "DELETE /submissions/84e0c0", "status": 404,
    }  # fmt: skip
    assert (two["caller"], two["did"], two["status"]) == ("unknown", "GET /jobs", 401)
    text = (tmp_path / "audit.jsonl").read_text()
    assert secret not in text
    assert "guessed" not in text
    assert stat.S_IMODE((tmp_path / "audit.jsonl").stat().st_mode) == 0o600


def test_each_answer_has_an_id_that_the_log_knows(http: TestClient) -> None:
    ids = [http.get("/jobs").headers["x-request-id"] for _ in range(2)]
    assert len(set(ids)) == 2
    assert http.get("/jobs", headers={"X-Request-ID": "no id\tof ours"}).headers["x-request-id"] != "no id\tof ours"
    handler, log = logging.StreamHandler(out := StringIO()), logging.getLogger("kgservice")
    handler.setFormatter(JsonLines())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        broken = http.get("/health")
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
    is_problem(broken, 500)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert {line["request"] for line in lines} == {broken.headers["x-request-id"]}
    told = next(line for line in lines if line["logger"] == "kgservice.requests")
    assert (told["level"], told["path"], told["status"], told["caller"]) == ("info", "/health", 500, "anyone")
    assert any("NoGraph" in line.get("traceback", "") for line in lines)


def test_metrics_count_by_route_and_tell_nothing_else(http: TestClient) -> None:
    for path in ("/jobs", "/jobs/a-secret-id", "/nowhere-secret", "/jobs"):
        http.get(path)
    answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'kgservice_requests_total{method="GET",route="/jobs",status="200"} 2.0' in answer.text
    assert 'kgservice_requests_total{method="GET",route="/jobs/{key}",status="404"} 1.0' in answer.text
    assert 'kgservice_request_seconds_count{route="/jobs"} 2.0' in answer.text
    assert "process_resident_memory_bytes" in answer.text
    assert "secret" not in answer.text


def test_one_service_a_data_folder(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(SettingsError, match="another service"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass


def test_a_port_in_use_is_named_before_anything_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings(home=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(
            SettingsError, match=rf"^cannot listen on port {port} of 127.0.0.1 \(.+\): give another --po"
        ):
            check_port("127.0.0.1", port)
        with pytest.raises(typer.Exit):
            _can_serve(settings, "mine", port)
        assert "What was loaded stays; `kgservice serve --port …` shows it" in capsys.readouterr().err
    assert _can_serve(settings, "mine", port)
    with alone(tmp_path):
        assert not _can_serve(settings, "mine", port)
    assert "its page, where it was started, shows 'mine'" in " ".join(capsys.readouterr().err.split())
