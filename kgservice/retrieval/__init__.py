"""Retrievers over the graph, by name."""

from __future__ import annotations

from typing import Any

from kgservice.core.errors import NotFound
from kgservice.graph.store import Graph
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.graph import GraphRetriever
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.hybrid import HybridRetriever
from kgservice.retrieval.multistep import MultistepRetriever
from kgservice.retrieval.oracle import OracleRetriever
from kgservice.retrieval.per_document import PluriHopRetriever
from kgservice.retrieval.rerank import RerankRetriever
from kgservice.retrieval.reranker import Scorer
from kgservice.retrieval.retriever import Retriever
from kgservice.text.near_names import did_you_mean
from kgservice.vectors.embedder import Embedder

RETRIEVERS: dict[str, type[Retriever]] = {
    "bm25": BM25Retriever,
    "dense": DenseRetriever,
    "hybrid": HybridRetriever,
    "graph": GraphRetriever,
    "rerank": RerankRetriever,
    "multistep": MultistepRetriever,
    "plurihop": PluriHopRetriever,
    "oracle": OracleRetriever,
}
NAMES = (
    f"{', '.join(name for name in RETRIEVERS if name != 'rerank')}; with a cross-encoder (KGS_RERANKER) rerank; rerank "
    "and multistep work over any other: multistep:dense"
)


def offered(scorer: Scorer | None) -> tuple[str, ...]:
    """Return the names of the retrievers, without rerank if there is no scorer for it."""
    return tuple(name for name in RETRIEVERS if scorer is not None or name != "rerank")


def retriever_classes(name: str) -> tuple[type[Retriever], type[Retriever] | None]:
    """Return the retriever class of a name, and the class under it or None.

    "rerank:dense" gives rerank over dense. Raises NotFound if there is no such retriever.
    """
    first, _, second = name.partition(":")
    kind, under = RETRIEVERS.get(first), RETRIEVERS.get(second)
    stacked = under is not None and "under" not in under.model_fields and kind and "under" in kind.model_fields
    if kind is None or (second and not stacked):
        raise NotFound(f"no retriever {name!r}: choose one of {NAMES}{did_you_mean(name, RETRIEVERS)}")
    return kind, under


def retriever(name: str, graph: Graph, corpus: str, embedder: Embedder, **options: Any) -> Retriever:
    """Return a retriever by name.

    `options` that are no fields of the retriever are ignored: k, within, scorer and gold serve several. Raises NotFound
    if there is no such retriever, and BadRequest for rerank without a scorer.
    """
    kind, under = retriever_classes(name)
    given = {field: value for field, value in options.items() if field in kind.model_fields}
    return kind(graph=graph, corpus=corpus, embedder=embedder, **given | ({"under": under} if under else {}))


def retrieve(graph: Graph, corpus: str, name: str, query: str, k: int, embedder: Embedder, **options: Any) -> list[Hit]:
    """Return the k best chunks of a corpus for a query, best first.

    Raises NotFound if the retriever or the corpus does not exist, and BadRequest if the query or k is not valid.
    """
    return retriever(name, graph, corpus, embedder, k=k, **options).hits(query)
