"""Hybrid retrieval: BM25 and dense lists merged by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.hit import Hit, Why, best_first
from kgservice.retrieval.retriever import Retriever

CONSTANT = 60  # of the paper: how little the first places differ
SHORTEST = 10  # of each list, whatever k is


class HybridRetriever(Retriever):
    """Ranks chunks by the sum of 1 / (60 + rank) over both lists of k; `why` gives each list's rank and score."""

    def _find(self, query: str) -> list[Hit]:
        depth = max(self.k, SHORTEST)
        bm25, dense = self.stage(BM25Retriever, depth), self.stage(DenseRetriever, depth)
        with ThreadPoolExecutor(1) as beside:  # the database looks for words while the query is embedded
            by_words = beside.submit(bm25._find, query)
            by_vector = dense._find(query)
            return fused({"bm25": by_words.result(), "dense": by_vector}, self.k)


def fused(lists: Mapping[str, list[Hit]], k: int) -> list[Hit]:
    """Merge ranked lists, by the retriever's name, into the k best; a list that lacks a chunk adds nothing to it."""
    found: dict[str, Hit] = {}
    for name, hits in lists.items():
        for rank, hit in enumerate(hits, 1):
            known = found.get(hit.chunk)
            why: Why = dict(known.why) if known else {}
            why |= {f"{name} rank": rank, name: round(hit.score, 6)}
            found[hit.chunk] = hit.rescored((known.score if known else 0.0) + 1 / (CONSTANT + rank), why)
    return best_first(found.values(), k)
