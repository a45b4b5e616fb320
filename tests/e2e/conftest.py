"""The command line as a person runs it: a process of its own, a home of its own, the tests' Neo4j."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.fixture
def kgs(environment: dict[str, str], program: Path) -> Run:
    """Run a command and return the finished process."""

    def run(*arguments: object, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        command = [program / "kgservice", *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, check=False)

    return run


@pytest.fixture
def kgs_json(kgs: Run) -> Callable[..., Any]:
    """Run a command with --json, expect success and return its last line as JSON."""

    def run(*arguments: object) -> Any:
        done = kgs(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.strip().splitlines()[-1])

    return run
