"""Retrieval quality on public multi-hop questions: every retriever over the graph, with 95 % bootstrap intervals."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from kgservice.core import keys
from kgservice.core.records import Document
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.managed_neo4j import server
from kgservice.names import mentions
from kgservice.retrieval import RETRIEVERS
from kgservice.retrieval.graph import GraphRetriever, WalkWeights
from kgservice.vectors.embedder import Embedder
from loaders.triplets import TripletsLoader

DATA = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data"))
SETTINGS = ROOT / "benchmarks" / "retrieval_settings.yaml"
COMPARED = ("bm25", "dense", "hybrid", "rerank", "graph")
K, SAMPLES = 20, 10_000
STEPS: dict[str, dict[str, Any]] = {  # what the walk does without one of its steps
    "without the words around a name": {"context": 0.0},
    "without the second round": {"rounds": 1},
    "without passage scores": {"passages": 0.0, "cosine": 0.0},
    "without pronouns (a title's link weighs as any)": {"title": 1.0, "head": 1.0},
}


class Question(NamedTuple):
    """A question with the sources of its gold passages; its answer, where that is known, and what kind it is of."""

    text: str
    gold: frozenset[str]
    answer: str = ""
    kind: str = ""


class DataSet(NamedTuple):
    """Passages and questions; the documents' sources are their places in the file."""

    documents: list[Document]
    questions: list[Question]


class Silent:
    """A journal that keeps nothing."""

    def problem(self, *_: object, **__: object) -> None: ...
    def finish(self, *_: object) -> None: ...


class Remembering(Embedder):
    """Embeds a text once, however often the ablation loads it."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, list[float]] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, super().embed(new), strict=True) if new else ())
        return [self._known[text] for text in texts]


def main() -> None:
    """Load each data set, ask its questions of every retriever, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=SETS, help=f"repeat for several; all of {', '.join(SETS)}")
    parser.add_argument(
        "--steps", choices=("walk", "all"), help="also without each step: those of the walk, or of the load too (slow)"
    )
    parser.add_argument("--misses", action="store_true", help="also the questions whose gold is not all in the top 8")
    options = parser.parse_args()
    if not (DATA / "hipporag").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    found: dict[str, Any] = {}
    with _graph() as graph:
        embedder = Remembering()
        for name in options.set or SETS:
            data = SETS[name]()
            _load(graph, name, data, embedder, "rules")
            found[name] = {"passages": len(data.documents), "queries": len(data.questions)}
            for retriever in [one for one in COMPARED if one in RETRIEVERS]:
                extra = {"weights": _weights()} if retriever == "graph" else {}
                ranks = _ranked(RETRIEVERS[retriever](graph=graph, corpus=name, embedder=embedder, k=K, **extra), data)
                found[name][retriever] = _measures(ranks, data)
                if options.misses and retriever == "graph":
                    found[name]["misses"] = _misses(ranks, data)
            if options.steps:
                found[name]["steps"] = _steps(graph, name, data, embedder, loading=options.steps == "all")
    print(json.dumps(found, ensure_ascii=False))


@contextmanager
def _graph(kept: Path | None = None) -> Iterator[Graph]:
    """A managed Neo4j of the benchmark's own; its data stay only in a folder that is given."""
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        settings, home = Settings(), kept or Path(folder)
        running = server.start(home, settings.cache, heap=settings.neo4j_heap, pagecache=settings.neo4j_pagecache)
        try:
            with Graph.open(running.uri, "neo4j", running.password) as graph:
                yield graph
        finally:
            server.stop(home)


def _weights(**changed: Any) -> WalkWeights:
    given: dict[str, Any] = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))["weights"]
    return WalkWeights(**{**given, **changed})


def _load(graph: Graph, corpus: str, data: DataSet, embedder: Embedder, extract: str) -> None:
    report = load(graph, data.documents, corpus, Recipe(extract=extract), embedder, Silent())  # type: ignore[arg-type]
    done = report.documents.stored + report.documents.unchanged
    if done != len(data.documents):
        raise SystemExit(f"{corpus}: {done} of {len(data.documents)} passages are in the graph: {report}")


def _ranked(retriever: Any, data: DataSet) -> list[list[str]]:
    """The sources of the passages found for each question, best first, each once."""
    by_key = {keys.document_key(retriever.corpus, one.source): one.source for one in data.documents}
    return [
        list(dict.fromkeys(by_key[hit.document] for hit in retriever.hits(question.text)))
        for question in data.questions
    ]


def _measures(ranks: list[list[str]], data: DataSet) -> dict[str, Any]:
    """Recall at 2 and 5 and the share of questions with all gold in the top 8, each with its interval."""
    pairs = [(rank, question.gold) for rank, question in zip(ranks, data.questions, strict=True)]
    scores = {f"recall@{k}": [len(gold.intersection(rank[:k])) / len(gold) for rank, gold in pairs] for k in (2, 5)}
    scores["all@8"] = [float(gold <= set(rank[:8])) for rank, gold in pairs]
    means = {name: round(float(np.mean(values)), 3) for name, values in scores.items()}
    return means | {"interval": {name: _interval(values) for name, values in scores.items()}}


def _interval(values: list[float]) -> list[float]:
    """Percentiles 2.5 and 97.5 of the mean over resampled questions."""
    drawn = np.random.default_rng(0).integers(0, len(values), (SAMPLES, len(values)))
    return [round(float(bound), 3) for bound in np.percentile(np.asarray(values)[drawn].mean(axis=1), (2.5, 97.5))]


def _misses(ranks: list[list[str]], data: DataSet) -> list[dict[str, Any]]:
    titles = {one.source: one.title for one in data.documents}
    return [
        {
            "question": question.text,
            "missed": sorted(titles[source] for source in question.gold - set(rank[:8])),
            "top": [titles[source] for source in rank[:8]],
        }
        for rank, question in zip(ranks, data.questions, strict=True)
        if not question.gold <= set(rank[:8])
    ]


def _steps(graph: Graph, name: str, data: DataSet, embedder: Embedder, *, loading: bool) -> dict[str, Any]:
    """The same without one step each; those of loading in a corpus of their own."""

    def measured(corpus: str, **changed: Any) -> dict[str, Any]:
        retriever = GraphRetriever(graph=graph, corpus=corpus, embedder=embedder, k=K, weights=_weights(**changed))
        return _measures(_ranked(retriever, data), data)

    found = {step: measured(name, **changed) for step, changed in STEPS.items()}
    loaded: dict[str, tuple[str, Callable[[], Any]]] = {
        "without facts": ("none", nullcontext),
        "without surnames": ("rules", lambda: patch.object(mentions, "_surnames", lambda _: iter(()))),
        "without aliases (a title up to its comma)": ("rules", lambda: patch.object(mentions, "heads", lambda _: ())),
        "without mentions (ends of facts and titles alone)": (
            "rules", lambda: patch.object(mentions, "_names", lambda _: iter(()))
        ),
    }  # fmt: skip
    for step, (extract, changed) in loaded.items() if loading else ():
        corpus = f"{name} {step}"
        with changed():
            _load(graph, corpus, data, embedder, extract)
        found[step] = measured(corpus)
        graph.remove_corpus(corpus)
    return found


def _rows(file: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / file, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def _documents(passages: Sequence[tuple[str, str]]) -> list[Document]:
    return [Document(source=str(at), title=title, text=text) for at, (title, text) in enumerate(passages)]


def two_wiki() -> DataSet:
    """2WikiMultihopQA: 6,119 passages, the 101 questions of fast-graphrag's benchmark."""
    documents = _documents([(row["title"], row["text"]) for row in _rows("hipporag/2wikimultihopqa_corpus.jsonl.gz")])
    sources = {one.title: one.source for one in documents}
    rows = _rows("hipporag/2wikimultihopqa_queries101.jsonl.gz")
    return DataSet(
        documents, [Question(row["question"], frozenset(sources[t] for t in row["gold_titles"])) for row in rows]
    )


def musique() -> DataSet:
    """MuSiQue train 100, facts by the project's own rules."""
    documents = _documents([(row["title"], row["text"]) for row in _rows("hipporag/musique_train100_corpus.jsonl.gz")])
    sources = {(one.title, one.text): one.source for one in documents}
    questions = [
        Question(
            row["question"],
            frozenset(sources[p["title"], p["paragraph_text"]] for p in row["paragraphs"] if p["is_supporting"]),
            row["answer"],
            row["id"].partition("__")[0].rstrip("1234567890").replace("hop", " hops"),
        )
        for row in _rows("hipporag/musique_train100_queries.jsonl.gz")
    ]
    return DataSet(documents, questions)


def musique_llm() -> DataSet:
    """MuSiQue train 100 with the triples of gpt-3.5-turbo instead of the rules'."""
    plain = musique()
    given = {
        (one.title, one.text): one.triplets
        for one in TripletsLoader(DATA / "hipporag/musique_train100_openie_gpt35.jsonl.gz").read()
        if isinstance(one, Document)
    }
    documents = [
        one.model_copy(update={"triplets": given[" ".join(one.title.split()), one.text]}) for one in plain.documents
    ]
    return DataSet(documents, plain.questions)


def hotpot() -> DataSet:
    """HotpotQA train 100."""
    rows = _rows("hipporag/hotpotqa_train100_corpus.jsonl.gz")
    documents = _documents([(row["title"], "".join(row["sentences"])) for row in rows])
    sources = {one.title: one.source for one in documents}
    return DataSet(
        documents,
        [
            Question(
                row["question"],
                frozenset(sources[title] for title, _ in row["supporting_facts"]),
                row["answer"],
                row["type"],
            )
            for row in _rows("hipporag/hotpotqa_train100_queries.jsonl.gz")
        ],
    )


SETS: dict[str, Callable[[], DataSet]] = {
    "2wiki": two_wiki,
    "musique": musique,
    "musique-llm": musique_llm,
    "hotpotqa": hotpot,
}


if __name__ == "__main__":
    main()
