"""Retrievers over the graph, by name."""

from __future__ import annotations

from typing import Any

from kgservice.embedding import Embedder
from kgservice.errors import NotFound
from kgservice.graph.store import Graph
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.hybrid import HybridRetriever
from kgservice.retrieval.multistep import MultistepRetriever
from kgservice.retrieval.oracle import OracleRetriever
from kgservice.retrieval.plurihop import PluriHopRetriever
from kgservice.retrieval.rerank import RerankRetriever
from kgservice.retrieval.retriever import Retriever

RETRIEVERS: dict[str, type[Retriever]] = {
    "bm25": BM25Retriever,
    "dense": DenseRetriever,
    "hybrid": HybridRetriever,
    "rerank": RerankRetriever,
    "multistep": MultistepRetriever,
    "plurihop": PluriHopRetriever,
    "oracle": OracleRetriever,
}
NAMES = f"{', '.join(RETRIEVERS)}; rerank and multistep work over any other: rerank:bm25"


def retriever(name: str, graph: Graph, corpus: str, embedder: Embedder, **options: Any) -> Retriever:
    """Return a retriever by name; it takes of the `options` what its fields name (k, within, scorer, gold …).

    "rerank:dense" is rerank over dense. Raises NotFound for a name that does not exist.
    """
    first, _, second = name.partition(":")
    kind, under = RETRIEVERS.get(first), RETRIEVERS.get(second)
    if kind is None or (
        second and (under is None or "under" in under.model_fields or "under" not in kind.model_fields)
    ):
        raise NotFound(f"no retriever {name!r}: choose one of {NAMES}")
    given = {field: value for field, value in options.items() if field in kind.model_fields}
    return kind(graph=graph, corpus=corpus, embedder=embedder, **given | ({"under": under} if under else {}))


def retrieve(graph: Graph, corpus: str, name: str, query: str, k: int, embedder: Embedder, **options: Any) -> list[Hit]:
    """Return the k best chunks of a corpus for a query, best first (NotFound, BadRequest)."""
    return retriever(name, graph, corpus, embedder, k=k, **options).hits(query)
