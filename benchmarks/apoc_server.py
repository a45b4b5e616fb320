"""A managed Neo4j with APOC for the peers: our own server, started once more with two jars on its class path."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgservice.core.errors import ServerError
from kgservice.core.settings import Settings
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import Server, folder_of, process_of, write_state

APOC = "5.26.19"
COORDINATES = f"org.neo4j.procedure:apoc-core:{APOC}+org.neo4j.procedure:apoc-common:{APOC}"


@contextmanager
def apoc_server() -> Iterator[Server]:
    """Yield a new and empty Neo4j with APOC, in its own folder, with the managed server's Java flags and settings."""
    jars = _apoc_jars()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        started = server.start(home, Settings().cache, version="5.26")
        try:
            yield _again_with(started, jars)
        finally:
            server.stop(home)


def _apoc_jars() -> list[Path]:
    """Return the two APOC jars from Maven Central. Their dependencies are on Neo4j's class path."""
    from jgo.maven import MavenContext
    from jgo.parse import Endpoint

    context = MavenContext()
    wanted = [context.create_dependency(coordinate) for coordinate in Endpoint.parse(COORDINATES).coordinates]
    return [Path(dependency.artifact.resolve()) for dependency in wanted]


def _again_with(started: Server, jars: list[Path]) -> Server:
    """Stop a server, and start it with the same command and the jars as plugins."""
    process = process_of(started)
    if process is None:
        raise ServerError("the benchmark's Neo4j ended")
    command, environment = process.cmdline(), process.environ()
    server.stop(started.home)
    plugins = folder_of(started.home) / "plugins"
    plugins.mkdir(exist_ok=True)
    for jar in jars:
        shutil.copy(jar, plugins)
    with (folder_of(started.home) / "conf" / "neo4j.conf").open("a", encoding="utf-8") as settings:
        settings.write("dbms.security.procedures.unrestricted=apoc.*\n")
    place = command.index("-cp") + 1
    command[place] += f":{plugins}/*"
    with (folder_of(started.home) / "logs" / "console.log").open("wb") as log:
        again = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
    state = started.model_copy(update={"pid": again.pid})
    write_state(state)
    until = time.monotonic() + 120
    while time.monotonic() < until and again.poll() is None:
        if server.running(started.home):
            return state
        time.sleep(0.2)
    raise ServerError("the benchmark's Neo4j did not start with APOC")
