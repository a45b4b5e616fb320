"""The demo's questions over many documents as `kgservice evaluate plurihop` asks: naive, reranked, PluriHopRAG."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Remembering, Silent, own_graph

from kgservice.answering.aggregate import RuleAggregator
from kgservice.answering.document_filter import DocumentScope
from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.generator import System
from kgservice.answering.systems import ReadsDocuments, ReadsPassages, Scopes
from kgservice.cli.evaluation.plurihop import RETRIEVERS, Way
from kgservice.cli.tour import BASE
from kgservice.core.settings import Settings
from kgservice.evaluation import library
from kgservice.evaluation.plurihop.questions import of_corpus
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval import retriever
from kgservice.retrieval.per_document import PluriHopRetriever
from kgservice.retrieval.reranker import cross_encoder
from kgservice.vectors.embedder import Embedder

CORPUS, K, CANDIDATES = "demo", 20, 200
MEASURES = ("precision", "recall", "f1", "document f1")


def main() -> None:
    """Load the demo, make its questions, ask the systems, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=48, help="a random sample of so many questions")
    parser.add_argument("--report", type=Path, help="a folder for the reports, one a system")
    options = parser.parse_args()
    found: dict[str, object] = {}
    with own_graph() as graph, TemporaryDirectory() as folder, as_file(files("kgservice.demo")) as demo:
        paths = [demo / f"{name}.jsonl" for name in BASE]
        load(graph, read("triplets", paths), CORPUS, Recipe(), Remembering(), Silent())  # type: ignore[arg-type]
        generate(graph, CORPUS, Plan(patterns=("pluri_hop",)))
        chosen, embedder = of_corpus(graph, CORPUS, options.limit, 0), Embedder()
        told = DocumentScope(graph, CORPUS)
        scopes = {unit.id: told.within(unit.question) for unit in chosen.units}
        for way in RETRIEVERS if cross_encoder(Settings()) else ("naive", "plurihop"):
            run = library.plurihop(chosen, system(way, graph, embedder, scopes), (options.report or Path(folder)) / way)
            means = run.ended.measures
            found[way] = {name: round(means[name].mean, 3) for name in MEASURES if name in means}
        found["questions"] = len(chosen.units)
    print(json.dumps(found))


def system(way: Way, graph: Graph, embedder: Embedder, scopes: Scopes) -> System:
    """A system as the command line makes it."""
    judge, reader = cross_encoder(Settings()), ExtractiveGenerator(embedder)
    finds = retriever(RETRIEVERS[way], graph, CORPUS, embedder, scorer=judge, k=K, candidates=CANDIDATES)
    if isinstance(finds, PluriHopRetriever):
        return ReadsDocuments(finds, reader, RuleAggregator(), scopes)
    return ReadsPassages(finds, reader)


if __name__ == "__main__":
    main()
