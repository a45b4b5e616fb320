"""Refreshing questions after 1 % of the documents have come, beside generating all questions again (OpenIE graph).

One percent comes after the other; the last is taken, when the server knows a refresh's statements. Generating again
finds most questions as they are: it writes nothing and reads no sentence that was read before. So a third figure is for
the same documents in a corpus without questions. Seconds are of the clock and of the processor, the server's with them.

With --tenths: a corpus that grows tenth by tenth, each refresh beside generating from scratch for the same documents,
and the share of all subgraphs that were not there before: any refresh has to word them.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

import psutil
from own_graph import own_graph

from kgservice.core.records import Document, Problem
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.ingest.sources import read
from kgservice.questions.patterns import subgraphs
from kgservice.questions.selection import ORDER, Plan, generate, refresh

T = TypeVar("T")
FILE = "hipporag/musique_train100_openie_gpt35.jsonl.gz"
EVERY = 100  # of so many documents one is a percent
LATE = (50, 25, 75, 10, 60, 99)  # which of them come later, in this order
CORPUS, ANEW = "refresh", "anew"


class Unrecorded:
    """A journal that keeps nothing."""

    def problem(self, *_: object, **__: object) -> None: ...


def main() -> None:
    """Load all but some percents, generate, load one after the other, refresh; print one JSON object."""
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
            print(json.dumps(measured(graph, Meter(home), plan, _documents(path, home))))


def _documents(path: Path, home: Path) -> list[Document | Problem]:
    plain = home / "passages.jsonl"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    return list(read("triplets", [plain]))


def _measured(graph: Graph, timed: Meter, plan: Plan, documents: list[Document | Problem]) -> dict[str, Any]:
    early = [item for number, item in enumerate(documents) if number % EVERY not in LATE]
    _load(graph, early)
    first, made = timed(lambda: generate(graph, CORPUS, plan))
    rounds = []
    for late in LATE:
        _load(graph, documents[late::EVERY])
        refreshing, done = timed(lambda: refresh(graph, CORPUS))
        rounds.append(refreshing)
    nothing, none = timed(lambda: refresh(graph, CORPUS))
    _rows(graph, plan)  # warm, as the refresh is
    enumerating, rows = timed(lambda: _rows(graph, plan))
    generating, same = timed(lambda: generate(graph, CORPUS, plan))
    if same.added or same.retired:
        raise SystemExit(f"a generation after the refreshes adds {same.added} and retires {same.retired}")
    _load(graph, documents, ANEW)
    scratch, anew = timed(lambda: generate(graph, ANEW, plan))
    if anew.added != same.kept:
        raise SystemExit(f"{same.kept} questions after the refreshes, {anew.added} from scratch")
    return {
        "documents": {"all": len(documents), "added": len(documents[LATE[-1] :: EVERY])},
        "facts": graph.totals(CORPUS).facts,
        "rows": rows,
        "looked_at": done.eligible,
        "refreshed": done.model_dump(include={"added", "kept", "retired"}),
        "seconds": {
            "generate_first": first, "generate": generating, "from_scratch": scratch, "enumerate": enumerating,
            "refresh": rounds, "refresh_nothing": nothing,
        },
        "generated": made.added,
        "added_by_nothing": none.added,
        "ratio_to_enumeration": round(refreshing["processor"] / enumerating["processor"], 4),
        "ratio_to_generation": round(refreshing["processor"] / generating["processor"], 4),
        "ratio_to_scratch": round(refreshing["processor"] / scratch["processor"], 4),
        "ratio_of_the_clock": round(refreshing["clock"] / generating["clock"], 4),
    }  # fmt: skip


def _growing(graph: Graph, timed: Meter, plan: Plan, documents: list[Document | Problem]) -> dict[str, Any]:
    """Time each refresh and a generation from scratch, which must come to the same number of questions."""
    steps, worst, known = [], 0.0, frozenset[str]()
    for tenth in range(10):
        _load(graph, documents[tenth::10])
        if not tenth:
            generate(graph, CORPUS, plan)
            known = _ids(graph, plan)
            continue
        refreshing, done = timed(lambda: refresh(graph, CORPUS))
        graph.remove_corpus(ANEW)
        for before in range(tenth + 1):
            _load(graph, documents[before::10], ANEW)
        generating, made = timed(lambda: generate(graph, ANEW, plan))
        if done.kept + done.added != made.added:
            raise SystemExit(f"{done.kept + done.added} questions after a refresh, {made.added} from scratch")
        ratio = round(refreshing["processor"] / generating["processor"], 3)
        worst = max(worst, ratio)
        rows = _ids(graph, plan)
        share = {
            "rows": len(rows),
            "new": round(len(rows - known) / len(rows), 3),
            "looked_at": sum(done.eligible.values()),
        }
        known = rows
        steps.append({"refresh": refreshing, "generate": generating, "ratio": ratio} | share)
        print(steps[-1], file=sys.stderr, flush=True)
    return {"steps": steps, "worst": worst}


def _rows(graph: Graph, plan: Plan) -> int:
    return sum(1 for pattern in plan.patterns for _ in subgraphs(graph, CORPUS, pattern, plan.choice))


def _ids(graph: Graph, plan: Plan) -> frozenset[str]:
    return frozenset(row.id for pattern in plan.patterns for row in subgraphs(graph, CORPUS, pattern, plan.choice))


def _load(graph: Graph, documents: Iterable[Document | Problem], corpus: str = CORPUS) -> None:
    write_all(graph, documents, corpus, Recipe(), LoadCounts(Unrecorded()), lambda *_: None)  # type: ignore[arg-type]


class Meter:
    """Times work: seconds of the clock, and of the processor in this process and in a data folder's server.

    What the benchmark holds, above all its documents, is not searched for garbage while it works.
    """

    def __init__(self, home: Path) -> None:
        server = json.loads((home / "neo4j" / "server.json").read_text())
        self._processes = psutil.Process(), psutil.Process(server["pid"])

    def __call__(self, work: Callable[[], T]) -> tuple[dict[str, float], T]:
        gc.collect()
        gc.freeze()
        clock, processor = time.perf_counter(), self._processor()
        found = work()
        clock, processor = time.perf_counter() - clock, self._processor() - processor
        return {"clock": round(clock, 3), "processor": round(processor, 2)}, found

    def _processor(self) -> float:
        return sum(one.user + one.system for one in (process.cpu_times() for process in self._processes))


if __name__ == "__main__":
    main()
