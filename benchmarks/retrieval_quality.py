"""Retrieval quality on public questions: every retriever over the graph, with 95 % bootstrap intervals.

The graph retriever's weights are those of benchmarks/retrieval_fit.py that saw no set of the judged one's family.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
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
from kgservice.retrieval.evidence import Ranking, packaged
from kgservice.retrieval.graph import GraphRetriever, WalkWeights
from kgservice.retrieval.hit import Hit
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder
from loaders.sec.filings_10k import Filing10kLoader
from loaders.triplets import TripletsLoader

DATA = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data"))
SETTINGS = ROOT / "benchmarks" / "retrieval_settings.yaml"
WITHOUT = ROOT / "benchmarks" / "retrieval_without.json"
COMPARED = ("bm25", "dense", "hybrid", "rerank", "graph")
K, SAMPLES = 20, 10_000
_ITEM = re.compile(r"\bItem (\d+[A-C]?)", re.IGNORECASE)
_REFERENCE = re.compile(r"#(\d+)")
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


class Question(NamedTuple):
    """A question with the sources of its gold passages; its answer, where that is known, and what kind it is of."""

    text: str
    gold: frozenset[str]
    answer: str = ""
    kind: str = ""


class DataSet(NamedTuple):
    """Passages and questions; the documents' sources are their places in the file.

    `by_item`: gold is an Item of a filing ("AAPL Item 3"), found by a chunk of it.
    """

    documents: list[Document]
    questions: list[Question]
    by_item: bool = False


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
        found[retriever] = _measures(ranks, data)
        if options.misses and retriever == "graph":
            found["misses"] = _misses(ranks, data)
    return found


def ranking(name: str) -> Ranking:
    """Return the weights that may judge a set: fitted without its family; those that ship where they saw none of it."""
    kept: dict[str, Any] = json.loads(WITHOUT.read_text(encoding="utf-8"))
    family = FAMILY.get(name)
    return Ranking(**kept[family]) if family else packaged()


@contextmanager
def graph_of() -> Iterator[Graph]:
    """The database of KGS_NEO4J_URI, whose corpora stay for the next run; else a Neo4j of the benchmark's own."""
    if Settings().neo4j_uri:
        with connect(Settings()) as graph:
            yield graph
    else:
        with _graph() as graph:
            yield graph


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


def _steps(graph: Graph, kept: str, name: str, data: DataSet, embedder: Embedder, *, loading: bool) -> dict[str, Any]:
    """The same without one step each; those of loading in a corpus of their own."""

    def measured(corpus: str, less: Sequence[str] = (), **changed: Any) -> dict[str, Any]:
        given = ranking(name)
        weights = {signal: (0.0, 0.0, 0.0, 0.0) if signal in less else row for signal, row in given.weights.items()}
        retriever = GraphRetriever(
            graph=graph, corpus=corpus, embedder=embedder, k=K, weights=_weights(**changed),
            ranking=given.model_copy(update={"weights": weights}),
        )  # fmt: skip
        return _measures(_ranked(retriever, data), data)

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


def single() -> DataSet:
    """Single hops: the steps of MuSiQue train 100's questions, each with the answers of earlier ones in it."""
    plain = musique()
    sources = {(one.title, one.text): one.source for one in plain.documents}
    questions: dict[str, Question] = {}
    for row in _rows("hipporag/musique_train100_queries.jsonl.gz"):
        paragraphs = {one["idx"]: sources[one["title"], one["paragraph_text"]] for one in row["paragraphs"]}
        answers: list[str] = []
        for step in row["question_decomposition"]:
            text = _REFERENCE.sub(partial(_answer, answers), step["question"]).replace(" >> ", ", ")
            text = re.sub(r" +([?'])", r"\1", text)
            answers.append(step["answer"])
            questions[text] = Question(text, frozenset([paragraphs[step["paragraph_support_idx"]]]), step["answer"])
    return DataSet(plain.documents, list(questions.values()))


def _answer(answers: Sequence[str], reference: re.Match[str]) -> str:
    return answers[int(reference[1]) - 1]


def _pooled(file: str, limit: int, left_out: frozenset[str] = frozenset()) -> DataSet:
    """Questions with the union of their paragraphs."""
    rows = [row for row in _rows(file) if row["context"] and row["question"] not in left_out][:limit]
    passages = {(title, _joined(said)): None for row in rows for title, said in row["context"]}
    documents = _documents(list(passages))
    sources = {(one.title, one.text): one.source for one in documents}
    questions = []
    for row in rows:
        by_title = {title: sources[title, _joined(said)] for title, said in row["context"]}
        gold = frozenset(by_title[title] for title, _ in row["supporting_facts"] if title in by_title)
        questions.append(Question(row["question"], gold, str(row["answer"]), row["type"]))
    return DataSet(documents, questions)


def _joined(sentences: Sequence[str]) -> str:
    return ("" if any(one.startswith(" ") for one in sentences[1:2]) else " ").join(sentences)


def two_wiki_dev() -> DataSet:
    """2WikiMultihopQA dev 200 without questions that have no paragraphs and the one that is among the 101."""
    judged = frozenset(row["question"] for row in _rows("hipporag/2wikimultihopqa_queries101.jsonl.gz"))
    return _pooled("multihop-qa/2wikimultihopqa_dev200.jsonl.gz", 200, judged)


def hotpot_dev() -> DataSet:
    """The first 120 of HotpotQA dev 200."""
    return _pooled("multihop-qa/hotpotqa_dev200.jsonl.gz", 120)


def news() -> DataSet:
    """MultiHop-RAG: 326 articles, each of its evidence sentences alone, and the even queries that have gold."""
    articles = _rows("multihop-rag/evidence_articles.jsonl.gz")
    sources = {one["url"]: str(at) for at, one in enumerate(articles)}
    documents = [
        Document(source=str(at), title=one["title"], text="\n\n".join(one["facts"]), url=one["url"])
        for at, one in enumerate(articles)
    ]
    questions = [
        Question(row["question"], frozenset(sources[one["url"]] for one in row["evidence_list"]), row["answer"])
        for row in _rows("multihop-rag/queries_even.jsonl.gz")
        if row["evidence_list"]
    ]
    return DataSet(documents, questions)


FILERS = ("AAPL", "NKE", "MCD", "KO", "GME")
COMPANIES = {"AAPL": "Apple", "NKE": "Nike", "KO": "Coca-Cola", "GME": "GameStop"}  # MCD's headings name no Items
ITEMS = {  # what the Items of a 10-K answer, in other words than their headings
    "1A": "What could harm {}'s business and results?",
    "1C": "How does {} protect itself from cyber attacks, and who oversees that?",
    "2": "Where are {}'s offices and buildings, and does it own or lease them?",
    "3": "Which lawsuits is {} involved in?",
    "5": "On which exchange is {}'s stock traded, and did it buy back shares?",
    "7": "Why did {}'s revenue and gross margin change compared with the year before?",
    "7A": "How would a change of interest rates or currencies affect {}?",
    "8": "What were {}'s total assets at the end of the year?",
    "9A": "Did {}'s management find its internal control over financial reporting effective?",
}


def filings() -> DataSet:
    """Five 10-K filings, whole, and a question an Item of four; a chunk of the Item of that filing answers it."""
    documents = [
        one
        for filer in FILERS
        for file in sorted((DATA / "sec-10k").glob(f"{filer}_*.html.gz"))
        for one in Filing10kLoader(file).read()
        if isinstance(one, Document)
    ]
    questions = [
        Question(text.format(company), frozenset([f"{filer} Item {item}"]))
        for filer, company in COMPANIES.items()
        for item, text in ITEMS.items()
    ]
    return DataSet(documents, questions, by_item=True)


SETS: dict[str, Callable[[], DataSet]] = {
    "2wiki": two_wiki,
    "musique": musique,
    "musique-llm": musique_llm,
    "hotpotqa": hotpot,
    "2wikidev": two_wiki_dev,
    "hotpotdev": hotpot_dev,
    "single": single,
    "news": news,
    "filings": filings,
}
CORPUS = {"single": "musique"}  # sets that ask the passages of another
FAMILY = {  # of what origin a set is: weights that saw none of it judge it
    "2wiki": "2wiki",
    "2wikidev": "2wiki",
    "musique": "musique",
    "musique-llm": "musique",
    "single": "musique",
    "hotpotqa": "hotpotqa",
    "hotpotdev": "hotpotqa",
    "news": "news",
}
WRITTEN: dict[str, Callable[[str, int], str]] = {
    "clean": lambda text, _: text,
    "lower case": lambda text, _: text.lower(),
    "typo": slipped,
}


if __name__ == "__main__":
    main()
