"""How repetitive the demo's reports and MultiHop-RAG are (r@k), and where PluriHop's document filter cuts (τ).

As `kgservice evaluate repetitiveness` and `evaluate threshold` measure it, with 500 characters a chunk and 100 shared.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Remembering, Silent, own_graph
from retrieval_sets import news

from kgservice.core.records import Document, Problem
from kgservice.evaluation.plurihop.repetitiveness import repetitiveness
from kgservice.evaluation.plurihop.threshold import Point, Threshold, threshold
from kgservice.evaluation.retrieval.questions import Judged
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.retrieval.per_document import PluriHopRetriever
from kgservice.retrieval.reranker import SentenceScorer
from kgservice.vectors.embedder import Embedder

SAMPLE = 100  # documents (section 3.2)
RECIPE = Recipe(chunking="chars:500:100", extract="none")


def main() -> None:
    """Load both, measure r@k of each and τ on MultiHop-RAG's questions, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=40, help="a random sample of so many, for τ")
    options = parser.parse_args()
    articles, embedder = news(), Remembering()
    with own_graph() as graph, as_file(files("kgservice.demo")) as demo:
        reports = [one for one in read("triplets", [demo / "annual_reports.jsonl"]) if isinstance(one, Document)]
        plain = (one.model_copy(update={"triplets": None}) for one in reports)
        repeated = {
            "annual reports": _repetitiveness(graph, "reports", plain, embedder),
            "news": _repetitiveness(graph, "news", articles.documents, embedder),
        }
        able = [
            Judged(id=str(at), text=one.text, grades=dict.fromkeys(sorted(one.gold), 1))
            for at, one in enumerate(articles.questions)
            if one.gold
        ]
        asked = random.Random(0).sample(able, options.questions)
        scorer = SentenceScorer(embedder)
        found = threshold(PluriHopRetriever(graph=graph, corpus="news", embedder=embedder, scorer=scorer), asked)
        cut = _at(found, scorer.threshold)
    print(
        json.dumps({
            "r": repeated, "area": round(found.area, 3), "relevant": found.relevant, "irrelevant": found.irrelevant,
            "tau": round(found.chosen.threshold, 3), "relevant_kept": round(found.chosen.relevant_kept, 3),
            "irrelevant_dropped": round(1 - found.chosen.irrelevant_kept, 3),
            "at_default": {"kept": round(cut.relevant_kept, 2), "dropped": round(1 - cut.irrelevant_kept, 2)},
        })
    )  # fmt: skip


def _at(found: Threshold, threshold: float) -> Point:
    """Return the point of the ROC that is nearest to a threshold; points are a twentieth of the relevant ones apart."""
    return min(found.points, key=lambda point: abs(point.threshold - threshold))


def _repetitiveness(
    graph: Graph, corpus: str, documents: Iterable[Document | Problem], embedder: Embedder
) -> dict[str, float]:
    load(graph, documents, corpus, RECIPE, embedder, Silent())  # type: ignore[arg-type]
    found = repetitiveness(graph, corpus, SAMPLE)
    return {"documents": found.documents, "chunks": found.chunks} | {
        f"@{k}": round(value, 3) for k, value in found.at.items()
    }


if __name__ == "__main__":
    main()
