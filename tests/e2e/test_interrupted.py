"""A load that is killed and run again ends with the graph of an undisturbed one."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from kgservice.graph.store import Graph
from tests.graph.snapshot import snapshot

DOCUMENTS = 1_500


def many(folder: Path) -> Path:
    """Write a file of triplets that takes several transactions to load."""
    path = folder / "many.jsonl"
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
    graph: Graph, corpus: str, tmp_path: Path, environment: dict[str, str], program: Path
) -> None:
    load = [program / "kgservice", "load", "triplets", many(tmp_path), "-c", corpus, "--no-vectors", "--json"]
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
