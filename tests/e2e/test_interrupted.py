"""A load that is killed, or loses its database for a while, ends with the graph of an undisturbed one."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from tests.graph.snapshot import snapshot

DOCUMENTS = 1_500


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "many.jsonl"
    with path.open("w") as out:
        for n in range(DOCUMENTS):
            triplets = [[f"E{n}", "near", f"E{(n * 7) % DOCUMENTS}"], [f"E{n}", "in", f"Hub {n % 11}"]]
            record = {
                "id": f"d{n}",
                "title": f"Document {n}",
                "text": f"E{n} is in Hub {n % 11}.",
                "triplets": triplets,
            }
            out.write(json.dumps(record) + "\n")
    return path


def stored(graph: Graph, corpus: str) -> int:
    return graph.totals(corpus).documents


def until(condition: object, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def test_killed_in_the_middle_and_loaded_again(
    graph: Graph, corpus: str, file: Path, environment: dict[str, str], program: Path
) -> None:
    load = [program / "kgservice", "load", "triplets", file, "-c", corpus, "--no-vectors", "--json"]
    subprocess.run(load, env=environment, check=True, capture_output=True)
    undisturbed = snapshot(graph, corpus)
    graph.remove_corpus(corpus)

    with subprocess.Popen(load, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: stored(graph, corpus) > 0)
        process.kill()
    part = stored(graph, corpus)
    assert 0 < part < DOCUMENTS, "the load was not killed in the middle"

    again = json.loads(subprocess.run(load, env=environment, check=True, capture_output=True).stdout)
    assert again["documents"]["unchanged"] >= part
    assert again["documents"]["unchanged"] + again["documents"]["stored"] == DOCUMENTS
    assert snapshot(graph, corpus) == undisturbed


@pytest.mark.usefixtures("short_lived")
def test_database_stopped_and_started_during_a_load(file: Path, tmp_path: Path, program: Path) -> None:
    home, cache = tmp_path / "own-home", Settings().cache
    own = os.environ | {"KGS_HOME": str(home), "KGS_NEO4J_HEAP": "512m", "KGS_NEO4J_PAGECACHE": "128m"}
    own.pop("KGS_NEO4J_URI", None)
    running = server.start(home, cache, version=Settings().neo4j_version, heap="512m", pagecache="128m")
    try:
        with Graph.open(running.uri, "neo4j", running.password) as graph:
            load = [program / "kgservice", "load", "triplets", file, "--no-vectors", "--json"]
            with subprocess.Popen(load, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                until(lambda: stored(graph, "default") > 0)
                assert server.stop(home)
                time.sleep(3)
                assert process.poll() is None, process.stderr and process.stderr.read()
                again = server.start(home, cache, version=Settings().neo4j_version, heap="512m", pagecache="128m")
                assert again.uri == running.uri
                output, errors = process.communicate(timeout=180)
            assert process.returncode == 0, errors
            assert "waiting" in errors
            report = json.loads(output)
            assert report["documents"]["stored"] == DOCUMENTS
            assert stored(graph, "default") == DOCUMENTS
    finally:
        server.stop(home)
