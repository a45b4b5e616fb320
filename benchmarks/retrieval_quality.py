"""Retrieval quality on public questions: every retriever over the graph, with 95 % bootstrap intervals.

The graph retriever's weights are those of benchmarks/retrieval_fit.py that saw no set of the judged one's family.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Remembering, Silent, graph_of
from retrieval_sets import CORPUS, DATA, FAMILY, SETS, DataSet

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.names import mentions
from kgservice.retrieval import RETRIEVERS
from kgservice.retrieval.evidence import Ranking, packaged
from kgservice.retrieval.graph import GraphRetriever, WalkWeights
from kgservice.retrieval.hit import Hit
from kgservice.vectors.embedder import Embedder

SETTINGS = ROOT / "benchmarks" / "retrieval_settings.yaml"
WITHOUT = ROOT / "benchmarks" / "retrieval_without.json"
COMPARED = ("bm25", "dense", "hybrid", "graph")
K, SAMPLES = 20, 10_000
_ITEM = re.compile(r"\bItem (\d+[A-C]?)", re.IGNORECASE)
STEPS: dict[str, dict[str, Any]] = {  # what the walk does without one of its steps
    "without the words around a name": {"context": 0.0},
    "without the second round": {"rounds": 1},
    "without passages to start at": {"passages": 0.0},
    "without pronouns (a title's link weighs as any)": {"title": 1.0, "head": 1.0},
}
LESS = {  # signals that count nothing
    "the walk": ("walk",),
    "words": ("words",),
    "vectors": ("cosine",),
    "bridges": ("gain", "bridge", "page"),
}


def main() -> None:
    """Load each data set, ask its questions of every retriever, print one JSON object."""
    options = _options()
    if not (DATA / "hipporag").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    found: dict[str, Any] = {}
    with graph_of() as graph:
        embedder = Remembering()
        for name in options.set or SETS:
            data, corpus = loaded(graph, name, embedder)
            data = data._replace(questions=data.questions[: options.limit])
            found[name] = {"passages": len(data.documents), "queries": len(data.questions)}
            for written in options.written or ["clean"]:
                found[name][written] = _compared(graph, corpus, name, _written(data, written), embedder, options)
            if options.steps:
                found[name]["steps"] = _steps(graph, corpus, name, data, embedder, loading=options.steps == "all")
    print(json.dumps(found, ensure_ascii=False))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=SETS, help=f"repeat for several; all of {', '.join(SETS)}")
    parser.add_argument(
        "--steps", choices=("walk", "all"), help="also without each step: those of the walk, or of the load too (slow)"
    )
    parser.add_argument("--written", action="append", choices=WRITTEN, help="how questions are written; clean")
    parser.add_argument("--retriever", action="append", choices=COMPARED, help="repeat for several; all of them")
    parser.add_argument("--limit", type=int, help="questions of a set")
    parser.add_argument("--misses", action="store_true", help="also the questions whose gold is not all in the top 8")
    return parser.parse_args()


def _compared(
    graph: Graph, corpus: str, name: str, data: DataSet, embedder: Embedder, options: argparse.Namespace
) -> dict[str, Any]:
    """The measures of each retriever, and with --misses what the graph retriever missed."""
    found: dict[str, Any] = {}
    for retriever in options.retriever or COMPARED:
        extra = {"weights": _weights(), "ranking": ranking(name)} if retriever == "graph" else {}
        ranks = _ranked(RETRIEVERS[retriever](graph=graph, corpus=corpus, embedder=embedder, k=K, **extra), data)
        found[retriever] = measures(ranks, data)
        if options.misses and retriever == "graph":
            found["misses"] = _misses(ranks, data)
    return found


def ranking(name: str) -> Ranking:
    """Return the weights that may judge a set: fitted without its family; those that ship where they saw none of it."""
    kept: dict[str, Any] = json.loads(WITHOUT.read_text(encoding="utf-8"))
    family = FAMILY.get(name)
    return Ranking(**kept[family]) if family else packaged()


def loaded(graph: Graph, name: str, embedder: Embedder) -> tuple[DataSet, str]:
    """Return a set and the corpus that holds its passages; loads what is not there."""
    data, corpus = SETS[name](), CORPUS.get(name, name)
    if corpus not in graph.corpora():
        _load(graph, corpus, data, embedder, "rules")
    return data, corpus


def _written(data: DataSet, how: str) -> DataSet:
    """The same questions in lower case, or with two letters of a word turned round (seeded by the question's place)."""
    texts = [WRITTEN[how](question.text, at) for at, question in enumerate(data.questions)]
    return data._replace(questions=[one._replace(text=text) for one, text in zip(data.questions, texts, strict=True)])


def slipped(text: str, seed: int) -> str:
    """Return a text with two neighbouring letters of one of its words of four or more turned round.

    >>> slipped("Who directed it?", 3)
    'Who driected it?'
    """
    rng = random.Random(seed)
    places = [
        at
        for word in re.finditer(r"[A-Za-z]{4,}", text)
        for at in range(word.start(), word.end() - 1)
        if text[at].lower() != text[at + 1].lower()
    ]
    if not places:
        return text
    at = rng.choice(places)
    first, second = text[at], text[at + 1]
    if first.isupper() and second.islower():
        first, second = first.lower(), second.upper()
    return text[:at] + second + first + text[at + 2 :]


def _weights(**changed: Any) -> WalkWeights:
    given: dict[str, Any] = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))["weights"]
    return WalkWeights(**{**given, **changed})


def _load(graph: Graph, corpus: str, data: DataSet, embedder: Embedder, extract: str) -> None:
    report = load(graph, data.documents, corpus, Recipe(extract=extract), embedder, Silent())  # type: ignore[arg-type]
    done = report.documents.stored + report.documents.unchanged
    if done != len(data.documents):
        raise SystemExit(f"{corpus}: {done} of {len(data.documents)} passages are in the graph: {report}")


def _ranked(retriever: Any, data: DataSet) -> list[list[str]]:
    """The sources of the passages found for each question, best first, each once; or the Items of all chunks found."""
    if data.by_item:
        return [_items(retriever.graph, retriever.hits(question.text)) for question in data.questions]
    by_key = {keys.document_key(retriever.corpus, one.source): one.source for one in data.documents}
    return [
        list(dict.fromkeys(by_key[hit.document] for hit in retriever.hits(question.text)))
        for question in data.questions
    ]


def _items(graph: Graph, hits: Sequence[Hit]) -> list[str]:
    """The filing and Item of each chunk: "AAPL Item 3"."""
    rows = {row["chunk"]: row for row in graph.read("read/places", keys=[hit.chunk for hit in hits])}
    places = [(rows[hit.chunk]["source"], _ITEM.search(rows[hit.chunk]["section"] or "")) for hit in hits]
    return [
        f"{Path(source).name.partition('_')[0]} {f'Item {item[1].upper()}' if item else 'before its Items'}"
        for source, item in places
    ]


def measures(ranks: list[list[str]], data: DataSet) -> dict[str, Any]:
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
            "missed": sorted(titles.get(source, source) for source in question.gold - set(rank[:8])),
            "top": [titles.get(source, source) for source in rank[:8]],
        }
        for rank, question in zip(ranks, data.questions, strict=True)
        if not question.gold <= set(rank[:8])
    ]


def _steps(graph: Graph, kept: str, name: str, data: DataSet, embedder: Embedder, *, loading: bool) -> dict[str, Any]:
    """The same without one step each; those of loading in a corpus of their own."""

    def measured(corpus: str, less: Sequence[str] = (), **changed: Any) -> dict[str, Any]:
        given = ranking(name)
        weights = {signal: (0.0, 0.0, 0.0, 0.0) if signal in less else row for signal, row in given.weights.items()}
        retriever = GraphRetriever(
            graph=graph, corpus=corpus, embedder=embedder, k=K, weights=_weights(**changed),
            ranking=given.model_copy(update={"weights": weights}),
        )  # fmt: skip
        return measures(_ranked(retriever, data), data)

    found = {step: measured(kept, **changed) for step, changed in STEPS.items()}
    found |= {f"without {step}": measured(kept, less) for step, less in LESS.items()}
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


WRITTEN: dict[str, Callable[[str, int], str]] = {
    "clean": lambda text, _: text,
    "lower case": lambda text, _: text.lower(),
    "typo": slipped,
}


if __name__ == "__main__":
    main()
