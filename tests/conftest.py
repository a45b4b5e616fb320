"""The real Neo4j every graph test talks to: KGS_NEO4J_URI, else Docker where an engine answers, else a managed one."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.lean_imports import import_spacy  # before all that imports Neo4j's driver

# isort: split
from kgservice.core import keys
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph

LTS = "5.26"  # of the server that the graph tests share; servers of a test's own are of the default, as users have it
IMAGE = f"neo4j:{LTS}-community"
SIZE = os.environ.get("KGS_TEST_SIZE", "usual")  # "fast": make test-fast, "whole": CI, "large": minutes more
GRAPH = Path(__file__).parent / "graph"
# those that read the demo corpus or enumerate by the same switches; that fill a second server; that import torch
TOGETHER = [
    ("graph", "attack", "certificate", "explore", "gold", "mcp", "patterns", "patterns_filters", "privacy", "rdf",
     "refresh", "refresh_ends", "releases"),
    ("graph", "bulk", "large_graphs"),
    ("unit", "plugins", "retrieval_parts", "vectors"),
]  # fmt: skip
FAST, LARGEST = SIZE == "fast", SIZE == "large"
# of the examples of each property: CI draws half of them anew in each run, as a run of all came near its limit of time
SHARE = {"fast": 1 / 5, "usual": 1 / 3, "whole": 1 / 2, "large": 10}[SIZE]


class NoTorch:
    """Hides torch, as spaCy imports it wherever it is installed: seconds of each process, for nothing."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "torch":
            raise ModuleNotFoundError(f"no {name} in test-fast: mark the test `whole`")


if FAST:
    sys.meta_path.insert(0, NoTorch())  # type: ignore[arg-type]


def examples(whole: int) -> int:
    """Return the number of examples of a property in a run of this size, for so many in all: a few at least."""
    return max(min(whole, 5), round(whole * SHARE))


settings.register_profile(SIZE, max_examples=examples(100), deadline=None)  # a first example reads models
settings.load_profile(SIZE)


def scaled(usual: int) -> int:
    """Return the size of a test's input: the usual one, a third of it in test-fast."""
    return usual // 3 if FAST else usual


@dataclass(frozen=True)
class Address:
    uri: str
    user: str
    password: str
    home: Path | None = None  # the data folder, of a managed one


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put test_cypher.py last of the graph tests: it has Neo4j forget all plans, and later tests would need them anew."""
    end = 1 + max((at for at, item in enumerate(items) if item.path.parent == GRAPH), default=-1)
    items[:end] = sorted(items[:end], key=lambda item: item.path == GRAPH / "test_cypher.py")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the files of one group of TOGETHER to one process, as each has a Neo4j of its own.

    That one makes the demo corpus, and it plans a statement, for up to a second, where it has not before. To import torch
    and what is built on it takes 8 s.
    """
    from xdist.scheduler import LoadFileScheduling

    first = {f"tests/{folder}/test_{name}.py": names[0] for folder, *names in TOGETHER for name in names}

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return first.get(file, file)

    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collectstart() -> None:
    """Import spaCy before a test module does; pytest-xdist's own process, which collects nothing, needs none."""
    import_spacy()


def pytest_collection_finish() -> None:
    """Leave what all tests have imported out of Python's collections: a full one took 0.3 s, every few tests."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> str:
    where = os.environ.get("KGS_NEO4J_URI") or ("Docker" if docker_answers() else "managed server")
    return f"Neo4j for graph tests: {where}"


def docker_answers() -> bool:
    if shutil.which("docker") is None:
        return False
    try:
        return subprocess.run(["docker", "info"], capture_output=True, timeout=10, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@pytest.fixture(scope="session")
def short_lived() -> Iterator[None]:
    """Start servers for some minutes of small corpora: they compile and plan less, for half of the processor time.

    Corpora come and go, and Neo4j would plan every statement anew each 10 s, as its graph has grown or shrunk. Java's
    second compiler pays for itself only later, the first one earlier than Java thinks, and the collector of garbage
    that works beside the program not at all. With one compiler Java keeps little room for code, and little for classes:
    it would go through all its memory again and again for some to drop. The jars are checked by their hashes once, not
    at each of some 20 starts.
    """
    from kgservice.managed_neo4j import folder, jars, server

    make_classes()
    checked = cache(jars.install)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "_class_cache", made_classes)
        patch.setattr(server, "install", lambda cache, version, **_: checked(cache, version))
        patch.setattr(folder, "_CONF", f"{folder._CONF}dbms.cypher.min_replan_interval=1h\n")
        compiled = "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.3"
        room = "-XX:ReservedCodeCacheSize=240m -XX:MetaspaceSize=256m"
        patch.setenv("JDK_JAVA_OPTIONS", f"{compiled} {room} -XX:+UseSerialGC")
        yield


def make_classes() -> None:
    """Make the file of classes of the default Neo4j with all that Java can: it stays for the user's own servers."""
    from kgservice.managed_neo4j import jars, server

    cache, version = Settings().cache, Settings().neo4j_version or jars.DEFAULT
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JDK_JAVA_OPTIONS", raising=False)
        server._class_cache(cache, version, jars.install(cache, version), jars.silent)


def made_classes(_cache: Path, _version: str, jars: Path, _say: object) -> str:
    """Return Java's option for a file of classes that is there: to make one takes as long as ten starts without it."""
    from kgservice.managed_neo4j import server

    file = server._class_file(jars)
    return f"-XX:AOTCache={file}" if file.is_file() else "-XX:AOTMode=off"


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Address]:
    """Where the tests' Neo4j is; a managed one lives in a temporary home and is stopped at the end."""
    settings = Settings()
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        yield Address(settings.neo4j_uri, settings.neo4j_user, password)
    elif docker_answers():
        from testcontainers.neo4j import Neo4jContainer

        made = Neo4jContainer(IMAGE, password="testing-kgservice").with_env(
            "NEO4J_dbms_cypher_min__replan__interval", "1h"
        )
        with made as container:
            yield Address(container.get_connection_url(), "neo4j", "testing-kgservice")
    else:
        from kgservice.managed_neo4j import server

        request.getfixturevalue("short_lived")
        home = tmp_path_factory.mktemp("home")
        version = settings.neo4j_version or LTS
        running = server.start(home, settings.cache, version=version, heap="1g", pagecache="256m")
        try:
            yield Address(running.uri, "neo4j", running.password, home)
        finally:
            server.stop(home)


@pytest.fixture(scope="session")
def graph(address: Address) -> Iterator[Graph]:
    """The open graph, shared by all tests; each test has a corpus of its own."""
    with Graph.open(address.uri, address.user, address.password) as opened:
        yield opened


@pytest.fixture
def corpus(graph: Graph, request: pytest.FixtureRequest) -> Iterator[str]:
    """A corpus name that no other test has, the same in every run, as keys and so all draws hang on it.

    What it holds is removed afterwards, and before, where an earlier run was killed.
    """
    name = f"test-{keys.digest(32, request.node.nodeid)}"
    if name in graph.corpora():
        graph.remove_corpus(name)
    yield name
    graph.remove_corpus(name)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a program `kgservice` that is copied from one that runs (command_server.py)."""
    folder = tmp_path_factory.mktemp("bin")
    file, address, code = folder / "kgservice", folder / "socket", Path(__file__).with_name("command_server.py")
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -SE "{code}" run "{address}" "$@"\n', encoding="utf-8")
    file.chmod(0o700)
    server = [sys.executable, str(code), "serve", str(address)]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield folder
        process.stdin.close()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets (KGS_TEST_DATA); tests that need it skip where it is absent."""
    folder = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public data at {folder}: set KGS_TEST_DATA to run this test")
    return folder
