"""Refreshing questions after 1 % of the documents have come, beside enumerating every subgraph again (OpenIE graph).

With --tenths: a corpus that grows tenth by tenth, each refresh beside generating from scratch for the same documents.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import own_graph

from kgservice.core.records import Document, Problem
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.ingest.sources import read
from kgservice.questions.patterns import subgraphs
from kgservice.questions.selection import ORDER, Plan, generate, refresh

FILE = "hipporag/musique_train100_openie_gpt35.jsonl.gz"
EVERY = 100  # one document in so many comes later
CORPUS = "refresh"


class Unrecorded:
    """A journal that keeps nothing."""

    def problem(self, *_: object, **__: object) -> None: ...


def main() -> None:
    """Load all but 1 %, generate, load the 1 %, refresh; print seconds, counts and the ratio as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pattern", action="append", help=f"repeat for several; all of {', '.join(ORDER)} by default")
    parser.add_argument("--tenths", action="store_true", help="grow by tenths instead")
    parser.add_argument("--json", action="store_true", help="what it does anyway")
    options = parser.parse_args()
    path = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data")) / FILE
    if not path.is_file():
        print(json.dumps({"skip": f"no {path}: KGS_TEST_DATA names the folder of public data"}))
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        with own_graph(home) as graph:
            plan = Plan(patterns=tuple(options.pattern or ORDER))
            measured = _growing if options.tenths else _measured
            print(json.dumps(measured(graph, plan, _documents(path, home))))


def _documents(path: Path, home: Path) -> list[Document | Problem]:
    plain = home / "passages.jsonl"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    return list(read("triplets", [plain]))


def _measured(graph: Graph, plan: Plan, documents: list[Document | Problem]) -> dict[str, Any]:
    late, warming = documents[EVERY - 1 :: EVERY], documents[EVERY // 2 :: EVERY]
    early = [item for number, item in enumerate(documents) if number % EVERY not in (EVERY - 1, EVERY // 2)]
    _load(graph, early)
    generating, made = _timed(lambda: generate(graph, CORPUS, plan))
    _load(graph, warming)
    refresh(graph, CORPUS)  # the server plans the statements of a refresh outside the clock
    _load(graph, late)
    refreshing, done = _timed(lambda: refresh(graph, CORPUS))
    _rows(graph, plan)  # warm, as the refresh is
    enumerating, rows = _timed(lambda: _rows(graph, plan))
    again, nothing = _timed(lambda: refresh(graph, CORPUS))
    return {
        "documents": {"before": len(early) + len(warming), "added": len(late)},
        "facts": graph.totals(CORPUS).facts,
        "rows": rows,
        "looked_at": done.eligible,
        "refreshed": done.model_dump(include={"added", "kept", "retired"}),
        "seconds": {
            "generate": generating, "enumerate": enumerating, "refresh": refreshing, "refresh_nothing": again
        },
        "generated": made.added,
        "added_by_nothing": nothing.added,
        "ratio_to_enumeration": round(refreshing / enumerating, 4),
        "ratio_to_generation": round(refreshing / generating, 4),
    }  # fmt: skip


def _growing(graph: Graph, plan: Plan, documents: list[Document | Problem]) -> dict[str, Any]:
    """Seconds of each refresh and of a generation from scratch, which must come to the same number of questions."""
    steps, anew = [], "anew"
    for tenth in range(10):
        _load(graph, documents[tenth::10])
        if not tenth:
            generate(graph, CORPUS, plan)
            continue
        refreshing, done = _timed(lambda: refresh(graph, CORPUS))
        graph.remove_corpus(anew)
        for before in range(tenth + 1):
            _load(graph, documents[before::10], anew)
        generating, made = _timed(lambda: generate(graph, anew, plan))
        if done.kept + done.added != made.added:
            raise SystemExit(f"{done.kept + done.added} questions after a refresh, {made.added} from scratch")
        steps.append({"refresh": refreshing, "generate": generating, "ratio": round(refreshing / generating, 3)})
        print(steps[-1], file=sys.stderr, flush=True)
    return {"steps": steps, "worst": max(step["ratio"] for step in steps)}


def _rows(graph: Graph, plan: Plan) -> int:
    return sum(1 for pattern in plan.patterns for _ in subgraphs(graph, CORPUS, pattern, plan.choice))


def _load(graph: Graph, documents: Iterable[Document | Problem], corpus: str = CORPUS) -> None:
    write_all(graph, documents, corpus, Recipe(), LoadCounts(Unrecorded()), lambda *_: None)  # type: ignore[arg-type]


def _timed(work: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    found = work()
    return round(time.perf_counter() - started, 3), found


if __name__ == "__main__":
    main()
