"""RARE-Met of the extractive reader on the demo corpus and the OpenIE graph, asked as `kgservice evaluate rare` does.

The issue's bound: both within ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Remembering, Silent, own_graph
from retrieval_sets import DATA

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.cli.evaluation.rare import PER_PATTERN
from kgservice.cli.tour import BASE
from kgservice.evaluation import library
from kgservice.evaluation.rare.run import RareSystems, choose
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval import retriever
from kgservice.vectors.embedder import Embedder

OPENIE = "hipporag/musique_train100_openie_gpt35.jsonl.gz"
K = 5


def main() -> None:
    """Load each corpus, make its questions, measure, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=("demo", "openie"), help="repeatable; both")
    parser.add_argument("--per-pattern", type=int, default=PER_PATTERN, help="questions of each pattern")
    parser.add_argument("--report", type=Path, help="a folder for the reports, one a set")
    options = parser.parse_args()
    if not (DATA / OPENIE).exists():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    found: dict[str, Any] = {}
    with own_graph() as graph, TemporaryDirectory() as folder, as_file(files("kgservice.demo")) as demo:
        paths = {"demo": [demo / f"{name}.jsonl" for name in BASE], "openie": [DATA / OPENIE]}
        for name in options.set or paths:
            loaded = load(graph, read("triplets", paths[name]), name, Recipe(), Remembering(), Silent())  # type: ignore[arg-type]
            generate(graph, name, Plan())
            place = (options.report or Path(folder)) / name
            found[name] = {"facts": loaded.facts, **measured(graph, name, place, options.per_pattern)}
    found["minutes"] = round(sum(found[name]["seconds"] for name in found) / 60, 2)
    print(json.dumps(found, ensure_ascii=False))


def measured(graph: Graph, name: str, place: Path, per_pattern: int) -> dict[str, Any]:
    """Return the four scores with their intervals, and the seconds that the command takes, its models loaded anew."""
    started, embedder = time.monotonic(), Embedder()
    systems = RareSystems(
        ExtractiveGenerator(embedder), {"hybrid": retriever("hybrid", graph, name, embedder, k=K)}, None
    )
    setting = library.Setting(corpus=name, retriever="hybrid", k=K, embedding_model=embedder.name)
    run = library.rare(graph, choose(graph, name, None, 0, per_pattern), systems, embedder, place, setting)
    summary = run.ended
    scores = {
        score: {"share": round(one.share, 3), "of": one.of, "interval": [round(one.low, 3), round(one.high, 3)]}
        for score, one in summary.scores
    }
    seconds = round(time.monotonic() - started, 1)
    counts = {"questions": summary.questions, "answers": summary.answers, "seconds": seconds}
    return counts | {"scores": scores, "outcomes": summary.outcomes, "not_made": summary.lacking}


if __name__ == "__main__":
    main()
