"""Template questions drawn for a reader to judge, and the shares of those judged (`tests/data/judged_questions.jsonl`).

Drawn of three corpora: the demo, the OpenIE graph of MuSiQue, four 10-K filings read by the rules.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Silent, own_graph
from retrieval_sets import DATA

from kgservice.cli.tour import BASE
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.questions import question_store
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.selection import Plan, generate

JUDGED = ROOT / "tests" / "data" / "judged_questions.jsonl"
OPENIE = DATA / "hipporag" / "musique_train100_openie_gpt35.jsonl.gz"
FILINGS = ("AAPL", "BA", "CSCO", "NKE")
NUMBERS = {"demo": 50, "openie": 50, "filings": 20}  # questions of each pattern
MARKS = ("grammatical", "unambiguous", "right")


def main() -> None:
    """Print a question a line, or with --count one JSON object of shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=tuple(NUMBERS), help="repeatable; all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", action="store_true", help="count what was judged")
    options = parser.parse_args()
    if options.count:
        print(json.dumps(shares([json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()])))
        return
    if not OPENIE.exists():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    with own_graph() as graph, as_file(files("kgservice.demo")) as demo:
        for row in drawn(graph, demo, options.set or NUMBERS, options.seed):
            print(json.dumps(row, ensure_ascii=False))


def drawn(graph: Graph, demo: Path, sets: Iterable[str], seed: int) -> Iterator[dict[str, Any]]:
    """Yield questions with the sentences that state their facts, by corpus, pattern and id."""
    reports = [path for name in FILINGS for path in (DATA / "sec-10k").glob(f"{name}_*.html.gz")]
    sources = {
        "demo": ("triplets", [demo / f"{name}.jsonl" for name in BASE]),
        "openie": ("triplets", [OPENIE]),
        "filings": ("filings_10k", reports),
    }
    for name in sets:
        corpus, (loader, paths) = f"drawn-{name}", sources[name]
        load(graph, read(loader, paths), corpus, Recipe(), None, Silent())  # type: ignore[arg-type]
        generate(graph, corpus, Plan(patterns=tuple(PATTERNS), limit=NUMBERS[name], seed=seed))
        for pattern in PATTERNS:
            for item in question_store.questions(graph, corpus, pattern=pattern, state="active"):
                known = {"corpus": name, "pattern": pattern, "question": item.question, "answers": item.answers}
                facts = [(fact.subject, fact.relation, fact.object) for fact in item.facts[:4]]
                said = [fact.statements[0].sentence for fact in item.facts[:4]]
                yield known | {"facts": facts, "sentences": said}


def shares(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the share of each mark, by corpus and pattern, with how many were judged."""
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["corpus"]].append(row)
        groups[f"{row['corpus']} {row['pattern']}"].append(row)
    return {
        name: {"judged": len(found), **{mark: round(sum(row[mark] for row in found) / len(found), 2) for mark in MARKS}}
        for name, found in groups.items()
    }


if __name__ == "__main__":
    main()
