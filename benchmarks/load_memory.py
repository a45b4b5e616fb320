"""Peak memory of a load (documents with ready-made triplets, no vectors) as the number of documents grows."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

FACTS = 5  # a document


def main() -> None:
    """Load 1 and `times` times the documents, each in a process of its own, and compare the peaks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=2, metavar=("FILE", "CORPUS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(_load(Path(options.child[0]), options.child[1])))
        return
    result = _compare(options.documents, options.times)
    print(json.dumps(result) if options.json else "\n".join(f"{name}: {value}" for name, value in result.items()))


def _compare(documents: int, times: int) -> dict[str, Any]:
    from kgservice.core.settings import Settings
    from kgservice.managed_neo4j import server

    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        running = server.start(home, Settings().cache)
        try:
            environment = {**os.environ, "BENCHMARK_URI": running.uri, "BENCHMARK_PASSWORD": running.password}
            loads = []
            for count in (documents, documents * times):
                file = home / f"{count}.jsonl"
                _generate(file, count)
                command = [sys.executable, __file__, "--child", str(file), f"documents-{count}"]
                done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
                loads.append(json.loads(done.stdout))
        finally:
            server.stop(home)
    return {"loads": loads, "ratio_of_peaks": round(loads[1]["peak_mb"] / loads[0]["peak_mb"], 3)}


def _generate(file: Path, documents: int) -> None:
    """Write documents of ten sentences, half of which state a fact; entities grow with the documents, with hubs."""
    rng = random.Random(0)
    with file.open("w", encoding="utf-8") as out:
        for number in range(documents):
            triplets, text = [], []
            for index in range(FACTS):
                subject, other = (f"Entity {int(documents * rng.random() ** 3)}" for _ in range(2))
                relation = f"relation {rng.randrange(40)}"
                sentence = f"{subject} has {relation} with {other}, says report {number} in part {index}."
                triplets.append({"subject": subject, "relation": relation, "object": other, "sentence": sentence})
                text += [sentence, f"This is sentence {index} of report {number}, which states nothing of interest."]
            record = {"id": f"report-{number}", "title": f"Report {number}", "text": " ".join(text)}
            out.write(json.dumps(record | {"triplets": triplets}) + "\n")


def _load(file: Path, corpus: str) -> dict[str, Any]:
    from kgservice.core.journal import Journal
    from kgservice.graph.store import Graph
    from kgservice.ingest.pipeline import Recipe, load
    from loaders.triplets import TripletsLoader

    started, before = time.monotonic(), _peak_mb()
    address = os.environ["BENCHMARK_URI"], "neo4j", os.environ["BENCHMARK_PASSWORD"]
    with Graph.open(*address) as graph, Journal(file.parent, "load") as journal:
        report = load(graph, TripletsLoader(file).read(), corpus, Recipe(), None, journal)
    if report.documents.stored != report.documents.given:
        raise SystemExit(f"not every document was stored: {report}")
    return {
        "documents": report.documents.stored,
        "facts": report.facts,
        "peak_mb": round(_peak_mb(), 1),
        "before_mb": round(before, 1),
        "seconds": round(time.monotonic() - started, 1),
    }


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_000_000 if sys.platform == "darwin" else 1_000)


if __name__ == "__main__":
    main()
