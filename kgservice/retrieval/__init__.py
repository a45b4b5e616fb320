"""Retrievers over the graph, by name."""

from __future__ import annotations

from kgservice.embedding import Embedder
from kgservice.errors import NotFound
from kgservice.graph.store import Graph
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.graph import GraphRetriever
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.retriever import Retriever

RETRIEVERS: dict[str, type[Retriever]] = {"bm25": BM25Retriever, "dense": DenseRetriever, "graph": GraphRetriever}


def retrieve(graph: Graph, corpus: str, name: str, query: str, k: int, embedder: Embedder) -> list[Hit]:
    """Return the k best chunks of a corpus for a query, best first (NotFound, BadRequest)."""
    if name not in RETRIEVERS:
        raise NotFound(f"no retriever {name!r}: choose one of {', '.join(RETRIEVERS)}")
    return RETRIEVERS[name](graph=graph, corpus=corpus, embedder=embedder, k=k).hits(query)
