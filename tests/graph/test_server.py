"""A real managed Neo4j in a temporary home; its jars come from this user's cache. No process is left."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import REQUEST_WAIT, create_app
from kgservice.core.errors import ServerError
from kgservice.core.settings import Settings
from kgservice.graph.store import RETRY, Graph, driver_of
from kgservice.managed_neo4j import backup, server
from kgservice.managed_neo4j.folder import Server, choose_port, folder_of, process_of
from kgservice.managed_neo4j.jars import DEFAULT
from kgservice.setup.checks import checks
from tests.e2e.test_interrupted import DOCUMENTS, many, stored, until
from tests.unit.test_compose import NEO4J

CACHE = Settings().cache
SMALL: server.Options = {"version": Settings().neo4j_version or DEFAULT, "heap": "512m", "pagecache": "64m"}


def children_of(home: Path) -> list[int]:
    """Java processes of a home, whatever the state file says."""
    sign = str(folder_of(home))
    found = []
    for process in psutil.process_iter():
        try:
            if any(sign in argument for argument in process.cmdline()) and "java" in process.name():
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.fixture(scope="module")
def home(short_lived: None, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a blank and another letter in its path, whose server is first started by two processes at once."""
    folder = tmp_path_factory.mktemp("a hömé")
    before = set(psutil.Process().children())  # the server of the other tests, and the program's
    code = f"""
from pathlib import Path
from kgservice.managed_neo4j import server
print(server.start(Path({str(folder)!r}), Path({str(CACHE)!r}), **{SMALL!r}).pid)
"""
    try:
        both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        pids = {int(process.communicate(timeout=300)[0]) for process in both}
        assert len(pids) == 1, "two starts at once made two servers"
        yield folder
    finally:
        server.stop(folder)
        assert not children_of(folder)
        assert set(psutil.Process().children()) <= before, "a server is left, if only as a zombie"


@pytest.fixture
def running(home: Path) -> Server:
    """The server, started again when the test before left it stopped."""
    return server.start(home, CACHE, **SMALL)


def query(at: Server, text: str) -> list[dict[str, Any]]:
    with neo4j.GraphDatabase.driver(at.uri, auth=("neo4j", at.password)) as driver:
        return [record.data() for record in driver.execute_query(text).records]


def count(at: Server) -> int:
    return int(query(at, "MATCH (n) RETURN count(n) AS n")[0]["n"])


def kill(at: Server) -> None:
    """End a server without a chance to close its store; a process takes a moment to die."""
    psutil.Process(at.pid).kill()
    with suppress(ChildProcessError):  # not this process's own
        os.waitpid(at.pid, 0)
    until = time.monotonic() + 30
    while process_of(at) and time.monotonic() < until:
        time.sleep(0.05)


def test_it_outlives_the_program_that_started_it(home: Path) -> None:
    found = server.running(home)
    assert found is not None
    assert query(found, "RETURN 1 AS one") == [{"one": 1}]
    assert server.start(home, CACHE, **SMALL) == found
    assert children_of(home) == [found.pid]


def test_it_starts_from_its_file_of_classes(running: Server) -> None:
    option = next(one for one in psutil.Process(running.pid).cmdline() if one.startswith("-XX:AOTCache="))
    assert Path(option.partition("=")[2]).stat().st_size > 10_000_000
    assert "AOT" not in (folder_of(running.home) / "logs" / "console.log").read_text()


def test_it_listens_on_loopback_only(running: Server) -> None:
    connections = psutil.Process(running.pid).net_connections("all")
    listening = [
        each.laddr for each in connections if each.status == psutil.CONN_LISTEN and each.type == 1 and each.laddr
    ]
    assert sorted(address.port for address in listening) == sorted([running.bolt_port, running.http_port])
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert not [each for each in connections if each.type == socket.SOCK_DGRAM and each.family != socket.AF_UNIX]


def test_doctor_asks_the_database_of_the_managed_server(running: Server) -> None:
    settings = Settings(home=running.home, neo4j_uri=None, neo4j_database="of-another-server")
    (database,) = (check for check in checks(settings) if check.name == "database")
    assert database.state == "ok", database.detail


def test_the_settings_of_the_compose_file_exist(running: Server) -> None:
    given = [name.removeprefix("NEO4J_") for name in NEO4J["environment"] if name != "NEO4J_AUTH"]
    names = {row["name"] for row in query(running, "SHOW SETTINGS YIELD name")}
    assert {name.replace("_", ".").replace("..", "_") for name in given} <= names  # as the image reads them


def test_the_browser_is_served(running: Server) -> None:
    with urllib.request.urlopen(running.browser, timeout=20) as answer:
        assert answer.status == 200
        assert b"<html" in answer.read().lower()


def test_another_password_is_refused(running: Server) -> None:
    with (
        pytest.raises(neo4j.exceptions.AuthError),
        neo4j.GraphDatabase.driver(running.uri, auth=("neo4j", "neo4j")) as driver,
    ):
        driver.verify_connectivity()


def test_a_server_that_died_under_a_service_is_started_again(running: Server, home: Path) -> None:
    settings = Settings(home=home, neo4j_uri=None, neo4j_heap="512m", neo4j_pagecache="64m", api_keys={})
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        assert client.get("/health").status_code == 200
        kill(running)
        recovers(client, server.START_SECONDS)


def recovers(client: TestClient, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (answer := client.get("/health")).status_code != 200:
        assert (answer.status_code, time.monotonic() < until) == (503, True)


def refused(client: TestClient) -> None:
    """Ask in several ways at once; each is a 503 that says when to come again, after a few seconds."""
    asked = (
        ("GET", "/health", None),
        ("POST", "/retrieve", {"query": "x", "corpus": "c"}),
        ("GET", "/subgraphs/chain?corpus=c", None),
    )

    def refuse(one: tuple[str, str, Any]) -> None:
        method, path, body = one
        started = time.monotonic()
        answer = client.request(method, path, json=body)
        assert (answer.status_code, "retry-after" in answer.headers) == (503, True), answer.text
        assert time.monotonic() - started < 2 * REQUEST_WAIT + 1

    with ThreadPoolExecutor() as pool:
        list(pool.map(refuse, asked))


def test_a_restart_keeps_data_and_ports_and_meanwhile_requests_are_answered_soon_and_a_load_waits(
    running: Server, home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, program: Path
) -> None:
    query(running, "CREATE (:Kept)")
    own = os.environ | {"KGS_HOME": str(home), "KGS_NEO4J_HEAP": "512m", "KGS_NEO4J_PAGECACHE": "64m"}
    own.pop("KGS_NEO4J_URI", None)
    load = [program / "kgservice", "load", "triplets", many(tmp_path), "--no-vectors", "--json"]
    known = {"neo4j_uri": running.uri, "neo4j_password": running.password, "home": tmp_path, "api_keys": {}}
    with (
        Graph(driver_of(running.uri, "neo4j", running.password, 20, retry=RETRY), "neo4j", 20) as graph,
        TestClient(create_app(Settings(**known)), raise_server_exceptions=False) as client,  # type: ignore[arg-type]
        ExitStack() as started,
    ):
        assert graph.read("read/corpora") == []
        assert client.get("/health").status_code == 200
        loading = started.enter_context(
            subprocess.Popen(load, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
        until(lambda: stored(graph, "default") > 0)
        assert server.stop(home) is True
        assert not server.died(home)
        assert server.stop(home) is False
        assert server.running(home) is None
        refused(client)
        with socket.socket() as starting:  # one that starts takes connections and says nothing
            starting.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            starting.bind(("127.0.0.1", running.bolt_port))
            starting.listen()
            refused(client)
        assert loading.poll() is None, loading.stderr and loading.stderr.read()
        again = server.start(home, CACHE, **SMALL)
        assert again.pid != running.pid
        assert (again.bolt_port, again.http_port) == (running.bolt_port, running.http_port)
        assert query(again, "MATCH (k:Kept) RETURN count(k) AS n") == [{"n": 1}]
        recovers(client, 30)
        caplog.clear()  # of the requests
        (row,) = graph.read("read/corpora")  # its connection ended with the old server
        assert row["name"] == "default"
        assert "does not answer" not in caplog.text
        output, errors = loading.communicate(timeout=180)
        assert loading.returncode == 0, errors
        assert "waiting" in errors
        assert json.loads(output)["documents"]["stored"] == stored(graph, "default") == DOCUMENTS


def test_a_folder_in_use_is_said(running: Server, home: Path) -> None:
    state = folder_of(home) / "server.json"
    text = state.read_text()
    state.unlink()
    try:
        with pytest.raises(ServerError, match="folder in use"):
            server.start(home, CACHE, **SMALL)
    finally:
        state.write_text(text)
    assert server.running(home) == running
    assert children_of(home) == [running.pid]


def test_a_backup_of_a_killed_server_an_import_in_its_place_and_failures_that_cost_nothing(
    running: Server, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_ADMIN_CRASH_INFO_DUMP_TIMEOUT_SECONDS", "0")  # 2026 fails as on a slow machine
    query(running, "CREATE (:Saved {name: 'ä'})")
    before = count(running)
    kill(running)  # a dump needs a clean store: the backup starts the server to recover it, and stops it
    assert server.running(home) is None
    file = backup.backup(home, CACHE, tmp_path / "a.dump", **SMALL)
    assert server.running(home) is None, "it did not run, so it must not run afterwards"

    admin, chosen = backup.admin, list[int]()

    def watched(*args: Any, **options: Any) -> str:
        chosen.append(choose_port(None, "", [running.bolt_port], None))
        return admin(*args, **options)

    (tmp_path / "nodes.csv").write_text('id:ID,name\na,"two\nlines, one comma"\nb,ü\n', encoding="utf-8")
    (tmp_path / "facts.csv").write_text(":START_ID,:END_ID,relation\na,b,knows\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_text(":START_ID,:END_ID,relation\na,nowhere,knows\n", encoding="utf-8")
    (tmp_path / "bad.dump").write_bytes(b"not a dump")
    nodes = [("Entity", [tmp_path / "nodes.csv"])]
    with monkeypatch.context() as patch:
        patch.setattr(backup, "admin", watched)
        assert "IMPORT DONE" in backup.bulk_import(home, CACHE, nodes, [("FACT", [tmp_path / "facts.csv"])], **SMALL)
        with pytest.raises(ServerError, match="missing node nowhere"):
            backup.bulk_import(home, CACHE, nodes, [("FACT", [tmp_path / "bad.csv"])], **SMALL)
        with pytest.raises(ServerError, match="Not a valid Neo4j archive"):
            backup.restore(home, CACHE, tmp_path / "bad.dump", **SMALL)
        with pytest.raises(ServerError, match="no backup"):
            backup.restore(home, CACHE, tmp_path / "absent.dump", **SMALL)
    assert not (folder_of(home) / "incoming").exists()
    assert running.bolt_port not in chosen, "whoever is connected would find another folder's database there"
    again = server.start(home, CACHE, **SMALL)
    assert again.bolt_port == running.bolt_port
    rows = query(again, "MATCH (s:Entity)-[f:FACT]->(o) RETURN s.name AS s, f.relation AS r, o.name AS o")
    assert rows == [{"s": "two\nlines, one comma", "r": "knows", "o": "ü"}]
    assert count(again) == 2, "an import replaces the database"

    backup.restore(home, CACHE, file, **SMALL)
    restored = server.running(home)
    assert restored is not None, "it ran, so it must run afterwards"
    assert restored.password == running.password
    assert count(restored) == before
    assert query(restored, "MATCH (n:Saved) RETURN n.name AS name") == [{"name": "ä"}]


def test_a_taken_port_is_said(running: Server, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=rf"port {running.bolt_port} is taken .* KGS_NEO4J_BOLT_PORT"):
        server.start(tmp_path, CACHE, bolt_port=running.bolt_port, **SMALL)
    with pytest.raises(ServerError, match=rf"port {running.http_port} is taken .* KGS_NEO4J_HTTP_PORT"):
        server.start(tmp_path, CACHE, http_port=running.http_port, **SMALL)
    assert not children_of(tmp_path)


@pytest.mark.usefixtures("short_lived")
@pytest.mark.parametrize(("heap", "pagecache"), [("8m", "64m"), ("9000g", "64m"), ("512m", "9000g")])
def test_memory_that_does_not_fit_is_said(tmp_path: Path, heap: str, pagecache: str) -> None:
    with pytest.raises(ServerError, match=r"out of memory.*KGS_NEO4J_HEAP"):
        server.start(tmp_path, CACHE, version=SMALL["version"], heap=heap, pagecache=pagecache)
    assert server.running(tmp_path) is None
    assert not children_of(tmp_path)


def test_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="nothing to back up"):
        backup.backup(tmp_path, CACHE, tmp_path / "a.dump", **SMALL)


def test_a_wrong_password_file_is_said(running: Server, home: Path) -> None:
    path = running.password_file
    right = path.read_text()
    path.write_text("wrong")
    try:
        with pytest.raises(ServerError, match="refuses the password"):
            server.start(home, CACHE, **SMALL)
    finally:
        path.write_text(right)
    assert process_of(running) is not None
