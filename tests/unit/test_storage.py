"""A full disk, a folder that cannot be written, no more files: on file systems of a few MB that the test mounts.

Where it may not mount (not root, no tmpfs) SQLite and the system are asked by their numbers alone.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.api.entry.access import Keys
from kgservice.api.jobs import Jobs
from kgservice.cli.session import errors
from kgservice.core.errors import StorageError, StorageFull
from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.core.storage import owner_only, storage_error, storage_problem
from kgservice.graph.store import Graph
from tests.e2e.conftest import command
from tests.unit.test_api import is_problem


class Empty(Graph):
    """Answers /health alone."""

    def __init__(self) -> None: ...

    def read(self, *_: Any, **__: Any) -> Any:
        class Row:
            def data(self) -> dict[str, int]:
                return dict.fromkeys(("corpora", "documents", "chunks", "facts", "entities", "questions"), 0)

        return [Row()]

    def check_written(self, corpus: str) -> None:
        """Let any corpus be written."""


@pytest.fixture(autouse=True)
def waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is ordered waits: it is about taking it in."""
    monkeypatch.setattr(Jobs, "_put", lambda *_: None)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no file system can be mounted here: only the numbers of the errors are tested")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(disk: Path) -> None:
    with (disk / "ballast").open("wb", buffering=0) as out:
        try:
            while out.write(b"x" * 4_096):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC


def http(home: Path) -> TestClient:
    return TestClient(
        create_app(Settings(home=home, api_keys={}, rate_limit=0), Empty()), raise_server_exceptions=False
    )


ORDER = {"documents": [{"id": "a", "text": "Acme is based in Lun. " * 3_000}]}


def test_a_full_disk(disk: Path) -> None:
    with http(disk) as client:
        first = client.post("/documents", json={"corpus": "first", **ORDER}).json()["id"]
        fill(disk)
        for _ in range(3):
            found = is_problem(client.post("/documents", json={"corpus": "second", **ORDER}), 507)
            assert "full" in found["detail"]
            assert str(disk) not in json.dumps(found)
        health = client.get("/health").json()
        assert (health["status"], health["free_bytes"]) == ("degraded", 0)
        assert "free" in health["reason"]
        assert client.get(f"/jobs/{first}").status_code == 200
        (disk / "ballast").unlink()
        assert client.post("/documents", json={"corpus": "third", **ORDER}).status_code == 202
    with http(disk) as client:
        assert [job["corpus"] for job in client.get("/jobs").json()["items"]] == ["third", "first"]


def test_a_full_disk_on_the_command_line(disk: Path) -> None:
    secret = Keys(Settings(home=disk).keys, {}).create("ada", "reader")[1]
    fill(disk)
    done = subprocess.run(
        command("keys", "create", "bea"),
        env=os.environ | {"KGS_HOME": str(disk)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "full" in done.stderr
    assert Keys(Settings(home=disk).keys, {}).caller(secret), "its last use cannot be kept, and that is no reason"


def test_a_folder_that_cannot_be_written(disk: Path) -> None:
    client = http(disk)  # not started: its lock would keep the file system writable
    client.post("/documents", json=ORDER)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    found = is_problem(client.post("/documents", json={"corpus": "second", **ORDER}), 503)
    assert "cannot write" in found["detail"]
    health = client.get("/health").json()
    assert (health["status"], health["reason"]) == ("degraded", "the data folder cannot be written")
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert client.post("/documents", json={"corpus": "second", **ORDER}).status_code == 202


def test_no_more_files(tmp_path: Path) -> None:
    with http(tmp_path) as client:
        assert client.get("/health").json()["status"] == "ok" or storage_problem(tmp_path)[0]
        before, held = resource.getrlimit(resource.RLIMIT_NOFILE), list[int]()
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 400), before[1]))
        try:
            with pytest.raises(OSError, match="Too many"):
                while True:
                    held.append(os.open(os.devnull, os.O_RDONLY))
            refused = client.post("/documents", json=ORDER)
            health = client.get("/health").json()
        finally:
            for one in held:
                os.close(one)
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        is_problem(refused, 503)
        assert health["status"] == "degraded"
        assert "files" in health["reason"]
        assert client.post("/documents", json=ORDER).status_code == 202


def test_what_an_error_means() -> None:
    def sqlite(code: int) -> sqlite3.OperationalError:
        error = sqlite3.OperationalError("x")
        error.sqlite_errorcode = code
        return error

    for full in (OSError(errno.ENOSPC, "x"), OSError(errno.EDQUOT, "x"), sqlite(sqlite3.SQLITE_FULL)):
        assert isinstance(storage_error(full), StorageFull)
    for shut in (
        OSError(errno.EROFS, "x"),
        OSError(errno.EMFILE, "x"),
        sqlite(sqlite3.SQLITE_READONLY),
        sqlite(sqlite3.SQLITE_CANTOPEN),
    ):
        assert type(storage_error(shut)) is StorageError
    for other in (
        ValueError("x"),
        OSError(errno.ECONNRESET, "x"),
        sqlite(sqlite3.SQLITE_CONSTRAINT),
        FileNotFoundError(errno.ENOENT, "x"),
    ):
        assert storage_error(other) is None


def test_the_data_folder_is_its_owners(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    with Journal(there / "home", "load"):
        pass
    for folder, mode in ((there, 0o755), (there / "home", 0o700), (there / "home" / "runs", 0o700)):
        assert stat.S_IMODE(folder.stat().st_mode) == mode, folder
    assert owner_only(there) == there
    assert stat.S_IMODE(there.stat().st_mode) == 0o755, "a folder of others is not changed"


def test_a_file_where_a_folder_is_to_be_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("x", encoding="utf-8")
    for broken in ((tmp_path / "out").mkdir, lambda: (tmp_path / "out" / "a").write_text("x")):
        with pytest.raises(typer.Exit), errors():
            broken()
        assert capsys.readouterr().err.startswith(f"kgservice: cannot write {tmp_path / 'out'}")
