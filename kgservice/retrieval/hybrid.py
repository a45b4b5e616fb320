"""Hybrid retrieval: BM25 and dense lists merged by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgservice.retrieval.bm25 import BM25Retriever, lucene_query, refusing_many_words, words
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.hit import Hit, PlacedHit, Why
from kgservice.retrieval.retriever import MAX_K, Retriever

CONSTANT = 60  # the paper's k: the larger, the less the first places differ
SHORTEST = 10  # of each list, whatever k is


class HybridRetriever(Retriever):
    """A ranking of chunks by the sum of 1 / (60 + rank) over the BM25 and dense lists. `why` gives ranks and scores."""

    def _find(self, query: str) -> list[Hit]:
        dense = self.stage(DenseRetriever, max(self.k, SHORTEST))
        lists = self.lists(words(query), dense.query_vector(query))
        if not lists["dense"]:
            dense.check_vectors()
        return fused(lists, self.k)

    def lists(
        self,
        counts: dict[str, int],
        vector: list[float],
        forms: Sequence[str] = (),
        enough: int = MAX_K,
        *,
        vectors: bool = False,
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of both lists by the retriever's name, best first: k of each, and at least ten.

        A look at the vectors that finds `enough` is not widened for the rest. The names of these `forms` come with the
        first look, as `named`, rows of retrieve/entities_by_form. With `vectors` the vectors of its hits come too, as
        `vectors`, rows of chunk and vector.
        """
        depth = max(self.k, SHORTEST)
        bm25, dense = self.stage(BM25Retriever, depth), self.stage(DenseRetriever, depth)
        apart = self.within.is_narrow if self.graph.has_own_indexes else bool(self.within.documents)
        first = self._look(counts, vector, dense, forms, vectors) if counts and not apart else {}
        nearest = dense.nearest(vector, first.get("nearest"), enough)
        lists = {"bm25": bm25.best(counts, first.get("words")), "dense": nearest}
        beside = (("named", bool(forms)), ("vectors", vectors))
        return lists | {name: first[name] for name, asked in beside if asked and first}

    def _look(
        self, counts: dict[str, int], vector: list[float], dense: DenseRetriever, forms: Sequence[str], vectors: bool
    ) -> Mapping[str, Any]:
        """Return the first looks of both retrievers and the names, read in one transaction."""
        where = self.within.parameters(self.graph, self.corpus)
        where |= {"text": lucene_query(counts), "vector": vector, "model": self.embedder.name, "k": dense.k}
        where |= {"names": {"forms": list(forms)}, "words_limit": dense.k + BM25Retriever.slack, "limit": dense.first}
        where |= {"vectors": vectors}
        with refusing_many_words():
            return self.graph.read("retrieve/words_and_nearest", **where)[0]


def fused(lists: Mapping[str, list[dict[str, Any]]], k: int) -> list[Hit]:
    """Return the k best hits of ranked rows by the retriever's name.

    A list without a chunk adds nothing to its score.
    """
    rows: dict[str, dict[str, Any]] = {}
    scores: dict[str, float] = {}
    whys: dict[str, Why] = {}
    for name, ranked in lists.items():
        for rank, row in enumerate(ranked, 1):
            chunk = row["chunk"]
            rows[chunk] = row
            scores[chunk] = scores.get(chunk, 0.0) + 1 / (CONSTANT + rank)
            whys.setdefault(chunk, {}).update({f"{name} rank": rank, name: round(row["score"], 6)})
    best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[
        :k
    ]  # only k hits are made, as that costs more than the sums
    return [PlacedHit(**rows[chunk] | {"score": scores[chunk], "why": whys[chunk]}) for chunk in best]
