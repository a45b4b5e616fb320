"""The managed server's parts that need neither Java nor the network."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from kgservice.cli.neo4j import neo4j
from kgservice.core.errors import ServerError
from kgservice.managed_neo4j import backup, server
from kgservice.managed_neo4j import folder as folders
from kgservice.managed_neo4j.failures import explain, last_lines
from kgservice.managed_neo4j.folder import Server
from kgservice.managed_neo4j.jars import DEFAULT, RELEASES


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
    state = Server(home=tmp_path, pid=os.getpid(), bolt_port=1, http_port=2, version="5.26.30")
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
    folders.write_state(Server(home=tmp_path / "old", pid=1, bolt_port=10, http_port=11, version="5.26.30"))
    (tmp_path / "old").rename(tmp_path / "new")
    state = folders.read_state(tmp_path / "new")
    assert state is not None
    assert (state.home, state.bolt_port) == (tmp_path / "new", 10)


def stored(home: Path, version: str | None) -> None:
    """Make the folder of a home with a database, and with its state if a version is given."""
    (home / "neo4j" / "data" / "databases" / "neo4j").mkdir(parents=True)
    if version:
        folders.write_state(Server(home=home, pid=1, bolt_port=2, http_port=3, version=version))


@pytest.mark.parametrize(("version", "release"), [("5.26.29", "5.26"), ("2026.09.0", "2026"), ("2031.01.0", DEFAULT)])
def test_a_database_keeps_its_neo4j_unless_another_is_asked_for(tmp_path: Path, version: str, release: str) -> None:
    assert server.version_of(tmp_path) == DEFAULT == "2026"
    stored(tmp_path, version)
    assert server.version_of(tmp_path) == release
    for wanted in RELEASES:
        assert server.version_of(tmp_path, wanted) == wanted


def test_a_first_start_that_failed_binds_nobody(tmp_path: Path) -> None:
    stored(tmp_path, "5.26.30")
    (tmp_path / "neo4j" / "data" / "databases" / "neo4j").rmdir()
    assert server.version_of(tmp_path) == DEFAULT


@pytest.mark.parametrize(
    ("kernels", "release"), [((), DEFAULT), ((0,), DEFAULT), ((20, 0), "5.26"), ((20, 33, 0), "2026")]
)
def test_a_database_without_a_state_says_who_wrote_it(tmp_path: Path, kernels: tuple[int, ...], release: str) -> None:
    stored(tmp_path, None)
    logs = tmp_path / "neo4j" / "data" / "transactions" / "neo4j"
    logs.mkdir(parents=True)
    for number, kernel in enumerate(kernels, 9):  # of which 10 is the later one
        (logs / f"checkpoint.{number}").write_bytes(bytes(128) + bytes([kernel]) + bytes(300))
    assert server.version_of(tmp_path) == release


def test_an_upgrade_that_failed_leaves_the_database_to_its_neo4j(tmp_path: Path) -> None:
    stored(tmp_path, None)
    state = Server(home=tmp_path, pid=1, bolt_port=2, http_port=3, version="2026.09.0", before="5.26.30")
    folders.write_state(state)  # as its server is launched
    logs = tmp_path / "neo4j" / "data" / "transactions"
    for name in ("neo4j", "system"):
        (logs / name).mkdir(parents=True)
        (logs / name / "checkpoint.0").write_bytes(bytes(128) + bytes([20]) + bytes(300))
    assert server.version_of(tmp_path) == "5.26"
    (logs / "system" / "checkpoint.1").write_bytes(bytes(128) + bytes([33]) + bytes(300))
    assert server.version_of(tmp_path) == "2026"  # 5.26 does not open that any more
    (logs / "system" / "checkpoint.1").unlink()
    folders.write_state(state.model_copy(update={"before": None}))  # it answered, and nothing is written yet
    assert server.version_of(tmp_path) == "2026"


def database(folder: Path, name: str) -> None:
    for part in folders.PARTS:
        (folder / "data" / part / "neo4j").mkdir(parents=True)
        (folder / "data" / part / "neo4j" / name).touch()


def held(folder: Path) -> list[list[str]]:
    return [[file.name for file in (folder / "data" / part / "neo4j").glob("*")] for part in folders.PARTS]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("renames", range(5))
@pytest.mark.parametrize("killed", [True, False])
def test_a_database_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool, renames: int, killed: bool
) -> None:
    folder = folders.folder_of(tmp_path)
    folder.mkdir(parents=True)
    if there:
        database(folder, "present")

    def admin(beside: Path, *_: object, **__: object) -> str:
        database(folders.folder_of(beside), "new")
        return "done"

    made, replace = [], Path.replace

    def failing(self: Path, target: Path) -> Path:
        made.append(target)
        if len(made) == renames + 1:
            raise OSError("a file is in use")
        return replace(self, target)

    monkeypatch.setattr(backup, "admin", admin)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        if killed:
            patch.setattr(backup, "put_back", lambda folder: None)
        enough = 5 if there else 3
        if renames < enough:
            with pytest.raises(OSError, match="in use"):
                backup._replace(tmp_path, tmp_path, {"version": "2026"}, "load")
        else:
            backup._replace(tmp_path, tmp_path, {"version": "2026"}, "load")
    folders.put_back(folder)  # as the next start does
    assert held(folder) == [["present" if there else "new"] * (there or renames >= 3)] * 2
    assert not (folder / "incoming").exists() and not (folder / "replaced").exists()
    backup._replace(tmp_path, tmp_path, {"version": "2026"}, "load")
    assert held(folder) == [["new"], ["new"]]


@pytest.mark.parametrize("swapped", [1, 2])
def test_a_backup_is_of_the_database_that_a_killed_replacement_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: int
) -> None:
    folder = folders.folder_of(tmp_path)
    database(folder, "present")
    for part in folders.PARTS[:swapped]:
        old = folder / "incoming" / f"old-{part}"
        old.parent.mkdir(exist_ok=True)
        (folder / "data" / part / "neo4j").rename(old)
    if swapped == len(folders.PARTS):
        database(folder, "new")
    dumped: list[list[list[str]]] = []

    def dump(*_: object, **__: object) -> Path:
        dumped.append(held(folder))
        return tmp_path / "a.dump"

    monkeypatch.setattr(backup, "dump", dump)
    assert backup.backup(tmp_path, tmp_path, tmp_path / "a.dump") == tmp_path / "a.dump"
    assert dumped == [[["present"], ["present"]]]
    assert not (folder / "incoming").exists()


def test_a_folder_without_a_database_has_no_backup(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="nothing to back up in"):
        backup.backup(tmp_path, tmp_path, tmp_path / "a.dump")
    assert not folders.folder_of(tmp_path).exists()
    folders.folder_of(tmp_path).mkdir()
    with pytest.raises(ServerError, match="nothing to back up in"):
        backup.backup(tmp_path, tmp_path, tmp_path / "a.dump")


def test_a_backup_that_cannot_be_written_is_said_before_the_server_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(folders.folder_of(tmp_path), "old")
    monkeypatch.setattr(backup, "stop", lambda _: pytest.fail("the server was stopped"))
    with pytest.raises(ServerError, match=r"cannot write the backup .*: it is a folder: name a file in it"):
        backup.backup(tmp_path, tmp_path, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        with pytest.raises(ServerError, match=r"cannot write the backup .*: this user may not write in"):
            backup.backup(tmp_path, tmp_path, tmp_path / "a.dump")
    with pytest.raises(
        ServerError, match=r"cannot write the backup .*: No such file"
    ):  # and not that KGS_HOME is wrong
        server.dump(tmp_path, tmp_path, tmp_path / "gone" / "a.dump")


def test_a_server_is_stopped_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Server) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    sign = f"--home-dir={folders.folder_of(tmp_path)}"
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", sign]) as running:
        folders.folder_of(tmp_path).mkdir()
        folders.write_state(Server(home=tmp_path, pid=running.pid, bolt_port=1, http_port=2, version="2026.09.0"))
        monkeypatch.setattr(server, "write_state", full)
        assert server.stop(tmp_path)
        assert not psutil.pid_exists(running.pid)


def test_a_dump_of_a_newer_neo4j_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def admin(beside: Path, *_: object, **__: object) -> str:
        logs = folders.folder_of(beside) / "data" / "transactions" / "neo4j"
        logs.mkdir(parents=True)
        (logs / "checkpoint.0").write_bytes(bytes(128) + b"\x21")
        return ""

    stored(tmp_path, "5.26.30")
    (tmp_path / "neo4j" / "data" / "databases" / "neo4j" / "kept").touch()
    (tmp_path / "a.dump").touch()
    monkeypatch.setattr(backup, "admin", admin)
    with pytest.raises(
        ServerError, match=r"is of Neo4j 2026, which 5\.26\.30 cannot open: set KGS_NEO4J_VERSION=2026, or"
    ):
        backup.restore(tmp_path, tmp_path / "cache", tmp_path / "a.dump")
    assert (tmp_path / "neo4j" / "data" / "databases" / "neo4j" / "kept").exists()
    assert not (tmp_path / "neo4j" / "incoming").exists()


def test_a_server_of_another_series_that_runs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, "5.26.30")
    monkeypatch.setattr(server, "process_of", lambda _: psutil.Process())
    monkeypatch.setattr(server, "_answers", lambda *_: True)
    said: list[str] = []
    for version in (None, "5.26", "2026"):
        assert server.start(tmp_path, tmp_path / "cache", version=version, say=said.append).version == "5.26.30"
    assert said == ["Neo4j 5.26.30 runs: to start 2026.09.0, `kgservice neo4j stop` first"]


def test_the_status_has_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Server(home=tmp_path, pid=1, bolt_port=2, http_port=3, version="5.26.30")
    monkeypatch.setattr(server, "running", lambda _: one)
    monkeypatch.delenv("KGS_NEO4J_URI", raising=False)
    assert json.loads(CliRunner().invoke(neo4j, ["status", "--json"]).stdout)["version"] == "5.26.30"
    assert CliRunner().invoke(neo4j, ["status"]).stdout.splitlines()[0].split() == ["Neo4j", "5.26.30"]


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
    one = Server(home=tmp_path, pid=1, bolt_port=2, http_port=3, version="5.26.30")
    assert one.password not in repr(one) + one.model_dump_json()


@pytest.mark.parametrize("series", [5, 2026])
def test_the_configuration_stays_on_this_machine(tmp_path: Path, series: int) -> None:
    folders.write_conf(tmp_path, series, 17, 18, "700m", "64m")
    lines = (tmp_path / "conf" / "neo4j.conf").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    addresses = [value for name, value in values.items() if name.endswith(("listen_address", "advertised_address"))]
    assert len(addresses) == 6
    assert all(value.startswith("127.0.0.1") for value in addresses)
    assert values["server.bolt.listen_address"] == "127.0.0.1:17"
    assert values["server.http.listen_address"] == "127.0.0.1:18"
    assert values["server.memory.pagecache.size"] == "64m"
    assert values["db.memory.transaction.max"] == f"{350 * 1024}k"
    off = ["server.https.enabled", "dbms.usage_report.enabled", "client.allow_telemetry"]
    if series == 2026:
        off += ["dbms.fleet_manager.enabled", "server.fleet_discovery.enabled", "server.http.x_forward.enabled"]
    assert {values[name] for name in off} == {"false"}
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
        ("Address 127.0.0.1:7474 is already in use, cannot bind to it.", "KGS_NEO4J_HTTP_PORT"),
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


def test_the_notice_of_neo4j_2026_does_not_hide_the_cause() -> None:
    line = "-" * 53
    notice = "Full exception details written to: /x.log\nPlease provide this file if requesting neo4j support"
    text = f"{line}\nCommand Failed\nDump failed for databases: 'neo4j'\n\nwhy\nwhat to do\n\n{notice}\n{line}\n"
    assert last_lines(text) == "Command Failed | why | what to do"


def test_too_little_space_is_said_before_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "LEAST_FREE_BYTES", 10**18)
    with pytest.raises(ServerError, match="disk full"):
        folders.check_space(tmp_path)


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match=r"cannot work in .*KGS_HOME"):
        server.start(tmp_path / "file", tmp_path / "cache")
    assert server.running(tmp_path / "file") is None
