"""Graph retrieval: personalised PageRank over passages and names. Only vectors of the query need a model.

After HippoRAG (Gutiérrez et al., 2024; 2025), on a bounded part of a corpus's mention graph. Names in the query lead to
passages, and the names in those lead to others. Words around a name that fit the question ("directed by" for "the
director of") make its link stronger. The signals of each candidate (walk, words, vectors, bridges) are then weighted by
how far the query's names can be trusted (evidence.py).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.retrieval.bm25 import BM25Retriever, words
from kgservice.retrieval.evidence import LISTED, PassageSignals, Ranking, packaged, signals, trust
from kgservice.retrieval.hit import Hit, Why
from kgservice.retrieval.hybrid import HybridRetriever
from kgservice.retrieval.retriever import Retriever
from kgservice.retrieval.walk.bridges import LEADING, Candidate, Crossing, bridges, candidate, crossings
from kgservice.retrieval.walk.context_fit import sought_names
from kgservice.retrieval.walk.neighbourhood import Neighbourhood, is_titled
from kgservice.retrieval.walk.pagerank import Ranked, Walk, WalkLink
from kgservice.retrieval.walk.paths import Paths
from kgservice.retrieval.walk.query_names import QueryName, corrected, forms_of, query_names, respelt
from kgservice.vectors.embedder import check_model

CANDIDATES = 70  # best passages of the walk that are scored, or 50 + k if that is more
COMPARED = 300  # candidates whose vectors are read; later ones of a long list keep the walk's order


class WalkWeights(Record):
    """Weights of the walk. The defaults were chosen on the data sets of benchmarks/retrieval_settings.yaml."""

    title: float = Field(20.0, description="a link to the document's own name; to any other name 1")
    head: float = Field(5.0, description="a link to its title up to the comma")
    context: float = Field(6.0, description="a link becomes 1 + context × (how well its words fit the question)")
    passages: float = Field(
        0.005, description="restart at a passage × its cosine with the query; at a name 1 / ln(2 + n)"
    )
    nearest: int = Field(10, description="passages near the query's vector that the walk may start at")
    restart: float = Field(0.3, description="probability a step")
    rounds: int = Field(2, description="times that the neighbourhood grows around the best passages")
    best: int = Field(5, description="passages that it grows around after the first round")
    cosine: float = Field(
        2.0,
        description="added to the logarithm of a passage's walk × its cosine, for which names are followed as bridges",
    )


class Lists(NamedTuple):
    """The best passages by words (BM25) and by vectors (cosine), and the passages at which the walk may start.

    `named` are the rows of the names that were looked up with them, None if they were not. `compared` are the rows of
    passages that came with their vectors.
    """

    words: dict[str, float]
    cosines: dict[str, float]
    near: dict[str, float]
    named: Sequence[Mapping[str, Any]] | None = None
    compared: Sequence[Mapping[str, Any]] = ()


class WalkedPool(NamedTuple):
    """The first stage's result, with misspelt names corrected: query, vector, names, ranked lists and walk."""

    query: str
    vector: list[float] | None
    names: tuple[QueryName, ...]
    lists: Lists
    around: Neighbourhood
    walked: Ranked


class GraphRetriever(Retriever):
    """A ranking of chunks by a walk from the query's names, its words, its vector and bridges. `why` gives the parts.

    `ranking` None: the packaged weights, fitted by benchmarks/retrieval_fit.py.
    """

    weights: WalkWeights = WalkWeights()
    ranking: Ranking | None = None

    def _find(self, query: str) -> list[Hit]:
        first = self.first_stage(query)
        pool, crossings = self.pool(first)
        scores = self.evidence(first, pool, crossings).scores(self.ranking or packaged())
        best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[: self.k]
        paths = Paths(first.around, first.walked, first.names, first.lists.near)
        return [_hit(pool[chunk], scores[chunk], first, crossings.get(chunk), paths) for chunk in best]

    def first_stage(self, query: str) -> WalkedPool:
        """Return the first stage of a query: its names, ranked lists and walk."""
        vector = self._vector(query)
        lists = self._lists(query, vector, forms_of(self.corpus, query))
        spelt = respelt(self.corpus, query, lists.named or (), self._knows)
        if spelt != query:
            query, vector = spelt, self._vector(spelt)
            lists = self._lists(query, vector, forms_of(self.corpus, query))
        names = query_names(self.graph, self.corpus, query, list(lists.near), lists.named)
        meant = corrected(query, names)
        if meant != query:
            vector = self._vector(meant)
            lists = self._lists(meant, vector)
        sought = sought_names(meant, [name.label for name in names])
        around = Neighbourhood(self.graph, self.corpus, sought, self.weights.title, self.weights.head)
        return WalkedPool(meant, vector, names, lists, around, self._walked(around, names, lists.near))

    def pool(self, first: WalkedPool) -> tuple[dict[str, Candidate], dict[str, Crossing]]:
        """Return the candidates by key, and the bridges by the keys of the passages they lead to."""
        within = self.within.parameters(self.graph, self.corpus)["documents"]
        walked = first.walked.passages
        fitting = [key for key in walked if within is None or key[: keys.KEY] in within]
        best = sorted(fitting, key=lambda key: (-walked[key], key))[: max(CANDIDATES, 50 + self.k)]
        chunks = list(dict.fromkeys([*first.lists.words, *first.lists.cosines, *best]))
        rows = {row["chunk"]: row for row in first.lists.compared}
        if others := [chunk for chunk in chunks if chunk not in rows]:
            (read,) = self.graph.read("retrieve/compared_chunks", chunks=others, compared=COMPARED - len(rows))
            rows |= {row["chunk"]: row for row in read["chunks"]}
        query = None if first.vector is None else np.array(first.vector)
        pool = {chunk: candidate(row, query) for chunk, row in sorted(rows.items())}
        return pool, self._crossings(first, pool)

    def evidence(
        self, first: WalkedPool, pool: Mapping[str, Candidate], crossings: Mapping[str, Crossing]
    ) -> PassageSignals:
        """Return the signals of each candidate, in the order of their keys."""
        chunks = tuple(sorted(pool))
        crossed = [crossings.get(chunk) for chunk in chunks]
        rows = signals(
            np.array([first.walked.passages.get(chunk, 0.0) for chunk in chunks]),
            np.array([pool[chunk].cosine or 0.0 for chunk in chunks]),
            np.array([first.lists.words.get(chunk, 0.0) for chunk in chunks]),
            np.array([entry.cosine if entry else 0.0 for entry in crossed]),
            np.array([entry.page if entry else 0.0 for entry in crossed]),
        )
        titles = [entry.title for entry in pool.values()]
        own = frozenset(name.form for name in first.names if any(is_titled(title, name.label) for title in titles))
        return PassageSignals(chunks, rows, trust(first.query, first.names, own))

    def _vector(self, query: str) -> list[float] | None:
        """Return the query's vector, or None if the database has no vectors. No model is loaded then."""
        if self.embedder.is_loaded or check_model(self.graph, self.embedder):
            return self.embedder.embed_query(query)
        return None

    def _knows(self, word: str) -> bool:
        """Return whether a passage of the corpus has a word or a form of it."""
        return bool(self.stage(BM25Retriever, 1).best(words(word)))

    def _lists(self, query: str, vector: list[float] | None, forms: Sequence[str] = ()) -> Lists:
        """Return the best passages by words and by vectors, those where the walk may start, and names of these forms.

        The walk starts at the nearest passages or, if the corpus has no vectors, at those with the query's words.
        """
        nearest = max(
            self.weights.nearest, self.k if self.within.is_narrow else 0
        )  # so that k passages pass the filter
        hybrid, asked_words = self.stage(HybridRetriever, max(LISTED, self.k)), words(query)
        few = 2 * hybrid.k <= COMPARED  # so that many vectors are read at once
        enough = max(nearest, self.k)
        rows = hybrid.lists(asked_words, vector, forms, enough, vectors=few) if vector else {"dense": []}
        if not rows["dense"]:
            check_model(self.graph, self.embedder)
            rows = {"bm25": self.stage(BM25Retriever, hybrid.k).best(asked_words), "dense": []}
        by_words = {row["chunk"]: float(row["score"]) for row in rows["bm25"]}
        cosines = {row["chunk"]: 2 * row["score"] - 1 for row in rows["dense"]}
        near = {chunk: max(cosine, 0.0) for chunk, cosine in list(cosines.items())[:nearest]}
        near = near or {chunk: 1 / at for at, chunk in enumerate(list(by_words)[:nearest], 1)}
        vectors = {row["chunk"]: row["vector"] for row in rows.get("vectors", ())}
        listed = {row["chunk"]: row for row in (*rows["bm25"], *rows["dense"]) if row["chunk"] in vectors}
        compared = [row | {"vector": vectors[chunk]} for chunk, row in listed.items()]
        return Lists(by_words, cosines, near, rows.get("named"), compared)

    def _walked(self, around: Neighbourhood, names: Sequence[QueryName], near: Mapping[str, float]) -> Ranked:
        """Return the ranks of the last of several walks.

        The neighbourhood grows around the best passages before each walk.
        """
        by_name = {name.form: 1 / math.log(2 + name.passages) for name in names}
        by_passage = {chunk: self.weights.passages * score for chunk, score in near.items()}
        leading: Collection[str] = near
        around.labels.update((name.form, name.label) for name in names)
        forms = {name.form: name.passages for name in names}
        ranked = Ranked({}, {})
        for _ in range(self.weights.rounds):
            around.grow(leading, forms)
            ranked = self._walk(around, by_name).rank(by_passage, by_name, self.weights.restart)
            forms = {}
            leading = sorted(ranked.passages, key=lambda key: (-ranked.passages[key], key))[: self.weights.best]
        return ranked

    def _walk(self, around: Neighbourhood, seeds: Mapping[str, float]) -> Walk:
        """Return a walk over the links of the neighbourhood. Hubs take part only if the query names them."""
        followed = {
            name: around.commonness(name)
            for name, passages in around.mentioned.items()
            if passages <= around.hub or name in seeds
        }
        links: list[WalkLink] = []
        for chunk, passage in around.passages.items():
            for name, link in passage.links.items():
                if name in followed:
                    weight = link.weight / followed[name]
                    links.append((chunk, name, weight * (1 + self.weights.context * link.fit), weight))
        return Walk(sorted(around.passages), sorted({name for _, name, *_ in links}.union(seeds)), links)

    def _crossings(self, first_stage: WalkedPool, pool: Mapping[str, Candidate]) -> dict[str, Crossing]:
        """Return the best bridge to each candidate that mentions one, from names of the leading passages."""
        if first_stage.vector is None:
            return {}
        first = {
            key: self._first(first_stage.walked.passages.get(key, 0.0), entry.cosine) for key, entry in pool.items()
        }
        leading = sorted(pool, key=lambda key: (-first[key], key))[:LEADING]
        seeds = {name.form for name in first_stage.names}
        asks = bridges(first_stage.around, leading, seeds)
        return crossings(asks, pool, first_stage.around, self.embedder)

    def _first(self, walked: float, cosine: float | None) -> float:
        return math.log(max(walked, 1e-12)) + self.weights.cosine * (cosine or 0.0)


def _hit(entry: Candidate, score: float, first: WalkedPool, crossing: Crossing | None, paths: Paths) -> Hit:
    """Return the hit of a candidate, with its score and the signals behind it."""
    why: Why = {"pagerank": round(first.walked.passages.get(entry.chunk, 0.0), 6)}
    if entry.cosine is not None:
        why["cosine"] = round(entry.cosine, 6)
    if entry.chunk in first.lists.words:
        why["bm25"] = round(first.lists.words[entry.chunk], 6)
    if crossing:
        why["bridge"] = crossing.explain(first.around.passages[crossing.bridge.chunk].title)
    return Hit(
        chunk=entry.chunk,
        document=entry.chunk[: keys.KEY],
        title=entry.title,
        score=score,
        text=entry.text,
        why=why | paths.to(entry.chunk, entry.title),
    )
