"""A run of one retriever over judged queries, with results and measures a query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.evaluation.retrieval.query_results import QueryResult
from kgservice.evaluation.retrieval.questions import Judged, Judgements
from kgservice.graph.store import Graph
from kgservice.metrics.ranking import mean, measures
from kgservice.retrieval import retriever
from kgservice.retrieval.retriever import MAX_K, Retriever, best_of_documents
from kgservice.vectors.embedder import Embedder

SLICE = 10_000  # keys a look-up


class Report(Record):
    """The means of a run, with 95 % intervals from two queries on.

    `skipped` are the queries that could not be evaluated, by reason. `missing_gold` are the gold documents that the
    corpus does not hold, so no retriever can find them.
    """

    retriever: str
    queries: int
    skipped: dict[str, int]
    missing_gold: int
    measures: dict[str, float]
    intervals: dict[str, tuple[float, float]]

    def printed(self) -> dict[str, Any]:
        """Return the report as one object, a key a measure."""
        counts = self.model_dump(exclude={"measures", "intervals"})
        return counts | {name: round(value, 6) for name, value in self.measures.items()} | {"interval": self.intervals}


def run(
    graph: Graph,
    corpus: str,
    name: str,
    queries: Sequence[Judged],
    ks: Sequence[int],
    embedder: Embedder,
    *,
    misleading: Mapping[str, Mapping[str, int]],
    advance: Callable[[int], None] = lambda _: None,
    **options: Any,
) -> list[QueryResult]:
    """Return the results of a retriever for every query. `misleading` grades documents by query.

    A document counts once, at the rank of its best chunk. The oracle gets each query's gold.
    """
    check_ks(ks)
    finder = retriever(name, graph, corpus, embedder, gold={query.text: query.gold for query in queries}, **options)
    ranked: list[list[str]] = []
    for query in queries:
        ranked.append(ranked_documents(finder, query.text, max(ks)))
        advance(1)
    sources = _sources(graph, {key for documents in ranked for key in documents})
    results = []
    for query, documents in zip(queries, ranked, strict=True):
        names = tuple(sources.get(key, key) for key in documents)
        mislead = [name for name, grade in misleading.get(query.id, {}).items() if grade > 0]
        scores = measures(names, query.grades, ks, mislead)
        results.append(QueryResult(query=query.id, retriever=name, found=names, measures=scores))
    return results


def check_ks(ks: Sequence[int]) -> None:
    """Reject depths out of range. Raises BadRequest."""
    if not ks or min(ks) < 1 or max(ks) > MAX_K:
        raise BadRequest(f"every k must be between 1 and {MAX_K:,}: {', '.join(map(str, ks)) or 'none is given'}")


def report(name: str, results: Sequence[QueryResult], judged: Judgements, missing_gold: int) -> Report:
    """Return the means of a run."""
    from kgservice.metrics.significance import interval  # scipy, which those who open a corpus need not wait for

    rows = [result.measures for result in results]
    means = mean(rows)
    values = {name: [row[name] for row in rows if name in row] for name in means}
    intervals = {name: interval(sample) for name, sample in values.items() if len(sample) > 1}
    return Report(
        retriever=name, queries=len(results), skipped=judged.skipped, missing_gold=missing_gold, measures=means,
        intervals=intervals,
    )  # fmt: skip


def absent(graph: Graph, corpus: str, queries: Iterable[Judged]) -> int:
    """Return the number of gold documents that the corpus does not hold. Raises BadRequest if it holds none of them."""
    graph.check_corpus(corpus)
    gold = {keys.document_key(corpus, name) for query in queries for name in query.gold}
    held = len(_sources(graph, gold))
    if not held:
        raise BadRequest(
            f"corpus {corpus} has none of the {len(gold):,} documents that the judgements name: load those from BEIR's "
            "corpus.jsonl, of a release its beir/corpus.jsonl (kgservice load beir FOLDER/beir -c NAME)"
        )
    return len(gold) - held


def ranked_documents(asked: Retriever, query: str, wanted: int) -> list[str]:
    """Return the keys of the best documents, each by its best chunk."""
    best = best_of_documents(lambda k: asked.model_copy(update={"k": k}).hits(query), wanted)
    return [hit.document for hit in best]


def _sources(graph: Graph, wanted: Collection[str]) -> dict[str, str]:
    remaining, sources = iter(sorted(wanted)), dict[str, str]()
    while batch := list(islice(remaining, SLICE)):
        sources |= {row["key"]: row["source"] for row in graph.read("read/document_sources", keys=batch)}
    return sources
