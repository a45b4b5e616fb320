"""The command line as a person runs it: a process of its own, a home of its own, the tests' Neo4j."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.conftest import Address

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(address: Address, tmp_path: Path) -> dict[str, str]:
    return os.environ | {
        "KGS_HOME": str(tmp_path / "home"),
        "KGS_NEO4J_URI": address.uri,
        "KGS_NEO4J_USER": address.user,
        "KGS_NEO4J_PASSWORD": address.password,
    }


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from kgservice.cli import app; app()", *map(str, arguments)]


@pytest.fixture(scope="session")
def started() -> Iterator[subprocess.Popen[str]]:
    """The process that commands are copied from (command_server.py)."""
    server = [sys.executable, "-m", "tests.e2e.command_server"]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def kgs(environment: dict[str, str], started: subprocess.Popen[str], tmp_path: Path) -> Run:
    """Run a command and return the finished process."""

    def run(*arguments: object, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        assert started.stdin is not None
        assert started.stdout is not None
        given = list(map(str, arguments))
        out, err = (tmp_path / f"{uuid4().hex}.{name}" for name in ("out", "err"))
        request = {"arguments": given, "environment": environment, "seconds": timeout}
        started.stdin.write(json.dumps(request | {"out": str(out), "err": str(err)}) + "\n")
        started.stdin.flush()
        code = json.loads(started.stdout.readline())
        if code is None:
            raise subprocess.TimeoutExpired(given, timeout)
        said = [one.read_text(encoding="utf-8") for one in (out, err)]
        for one in (out, err):
            one.unlink()
        return subprocess.CompletedProcess(given, code, *said)

    return run


@pytest.fixture
def kgs_json(kgs: Run) -> Callable[..., Any]:
    """Run a command with --json, expect success and return its last line as JSON."""

    def run(*arguments: object) -> Any:
        done = kgs(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.strip().splitlines()[-1])

    return run
