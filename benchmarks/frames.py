"""FRAMES' conditions on MuSiQue and HotpotQA, offline: the extractive reader's answers from each context.

The questions are written in FRAMES' layout, with their paragraphs as articles and article names as links. The rest is
`kgservice evaluate frames`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Silent, own_graph
from retrieval_sets import DATA, SETS, DataSet

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.evaluation import library
from kgservice.evaluation.frames.questions import read_questions
from kgservice.evaluation.frames.run import CONDITIONS, FramesSystems
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.vectors.embedder import Embedder


def main() -> None:
    """Load each set, answer its questions under every condition, and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=("musique", "hotpotqa"), help="repeatable; both")
    parser.add_argument("--limit", type=int, help="a random sample of so many questions of each")
    parser.add_argument("--report", type=Path, help="a folder for the reports, one a set")
    options = parser.parse_args()
    if not (DATA / "hipporag").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    embedder = Embedder()
    with own_graph() as graph, tempfile.TemporaryDirectory() as folder:
        results = {}
        for name in options.set or ("musique", "hotpotqa"):
            data, place = SETS[name](), (options.report or Path(folder)) / name
            load(graph, data.documents, name, Recipe(extract="none"), None, Silent())  # type: ignore[arg-type]  # BM25 needs no vectors
            results[name] = measured(graph, name, data, embedder, place, options.limit)
    print(json.dumps(results, ensure_ascii=False))


def measured(
    graph: Graph, name: str, data: DataSet, embedder: Embedder, place: Path, limit: int | None
) -> dict[str, Any]:
    """Return accuracy and recall of each condition, rounded."""
    place.mkdir(parents=True, exist_ok=True)
    questions = place / "asked.jsonl"
    questions.write_text("\n".join(framed(data)), encoding="utf-8")
    systems = FramesSystems(ExtractiveGenerator(embedder), BM25Retriever, None, None)
    setting = library.Setting(corpus=name, retriever="bm25", embedding_model=embedder.name, limit=limit)
    run = library.frames(graph, read_questions(questions, limit), CONDITIONS, systems, embedder, place, setting)
    summary = run.ended
    accuracy = {condition: round(one.share, 3) for condition, one in summary.accuracy.items()}
    recall = {condition: round(value, 3) for condition, value in summary.recall.items()}
    counts = {"questions": summary.questions, "articles_absent": summary.absent, "seconds": run.seconds}
    return counts | {"accuracy": accuracy, "recall": recall, "articles": summary.articles, "ended": summary.ended}


def framed(data: DataSet) -> list[str]:
    """Return the questions as lines of FRAMES' layout."""
    return [
        json.dumps(
            {
                "id": f"{at:03}",
                "question": one.text,
                "answer": one.answer,
                "reasoning_types": [one.kind],
                "wiki_links": sorted(one.gold),
            },
            ensure_ascii=False,
        )
        for at, one in enumerate(data.questions)
    ]


if __name__ == "__main__":
    main()
