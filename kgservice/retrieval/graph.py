"""Graph retrieval without any model call but vectors of the query: personalised PageRank over passages and names.

After HippoRAG (Gutiérrez et al., 2024; 2025), on the mention graph of a corpus and on a bounded part of it: the names
that stand in the query lead to passages, what those mention leads to others, and the words around a name that fit the
question ("directed by" for "the director of") make its link stronger. What the walk, the words, the vectors and the
bridges say of each candidate is then weighed by how far the query's names can be trusted (evidence.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.retrieval.bm25 import BM25Retriever, words
from kgservice.retrieval.evidence import PassageSignals, Ranking, packaged, signals, trust
from kgservice.retrieval.hit import Hit, Why
from kgservice.retrieval.hybrid import HybridRetriever
from kgservice.retrieval.retriever import Retriever
from kgservice.retrieval.walk.bridges import LEADING, Candidate, Crossing, bridges, candidate, crossings
from kgservice.retrieval.walk.context_fit import sought_names
from kgservice.retrieval.walk.neighbourhood import HUB, Neighbourhood
from kgservice.retrieval.walk.pagerank import Ranked, Walk
from kgservice.retrieval.walk.paths import Paths
from kgservice.retrieval.walk.query_names import QueryName, corrected, query_names
from kgservice.vectors.embedder import check_model

CANDIDATES = 70  # best passages of the walk that are weighed; 50 and k where that is more
LISTED = 20  # best passages by words and by vectors that are weighed beside them
COMPARED = 300  # candidates whose vectors are read; what comes after them in a long list keeps the walk's order


class WalkWeights(Record):
    """What counts how much; the defaults were chosen on the data sets that benchmarks/retrieval_settings.yaml names."""

    title: float = Field(20.0, description="a link to the document's own name; to any other name 1")
    head: float = Field(5.0, description="a link to its title up to the comma")
    context: float = Field(6.0, description="a link becomes 1 + context × (how well its words fit the question)")
    passages: float = Field(
        0.005, description="restart at a passage × its cosine with the query; at a name 1 / ln(2 + n)"
    )
    nearest: int = Field(10, description="passages near the query's vector that the walk may start at")
    restart: float = Field(0.3, description="probability a step")
    rounds: int = Field(2, description="times that the neighbourhood grows around the best passages")
    best: int = Field(10, description="passages that it grows around after the first round")
    cosine: float = Field(
        2.0,
        description="added to the logarithm of a passage's walk × its cosine, for which names are followed as bridges",
    )


class Lists(NamedTuple):
    """The best passages by words (BM25) and by vectors (cosine), and where the walk may start beside the names."""

    words: dict[str, float]
    cosines: dict[str, float]
    near: dict[str, float]


class WalkedPool(NamedTuple):
    """What the first stage knows of a query, its misspelt names put right: names, ranked lists and the walk."""

    query: str
    vector: list[float] | None
    names: tuple[QueryName, ...]
    asked: tuple[str, ...]
    lists: Lists
    around: Neighbourhood
    walked: Ranked


class GraphRetriever(Retriever):
    """Ranks chunks by a walk from the query's names, its words, vectors and bridges; `why` gives the parts.

    `ranking` None: the weights that ship, which benchmarks/retrieval_fit.py fitted.
    """

    weights: WalkWeights = WalkWeights()
    ranking: Ranking | None = None

    def _find(self, query: str) -> list[Hit]:
        found = self.found(query)
        pool, crossings = self.pool(found)
        scores = self.evidence(found, pool, crossings).scores(self.ranking or packaged())
        best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[: self.k]
        paths = Paths(found.around, found.walked, found.names, found.lists.near)
        return [_hit(pool[chunk], scores[chunk], found, crossings.get(chunk), paths) for chunk in best]

    def found(self, query: str) -> WalkedPool:
        """Return what the first stage finds."""
        vector = self._vector(query)
        lists = self._lists(query, vector)
        names = query_names(self.graph, self.corpus, query, list(lists.near))
        meant = corrected(query, names)
        if meant != query:
            vector = self._vector(meant)
            lists = self._lists(meant, vector)
        wanted = sought_names(meant, [name.label for name in names])
        around = Neighbourhood(self.graph, self.corpus, wanted, self.weights.title, self.weights.head)
        return WalkedPool(meant, vector, names, wanted, lists, around, self._walked(around, names, lists.near))

    def pool(self, found: WalkedPool) -> tuple[dict[str, Candidate], dict[str, Crossing]]:
        """Return the candidates by key, and the bridges by the keys of those that bridges lead to."""
        within = self.within.parameters(self.graph, self.corpus)["documents"]
        walked = found.walked.passages
        fitting = [key for key in walked if within is None or key[: keys.KEY] in within]
        best = sorted(fitting, key=lambda key: (-walked[key], key))[: max(CANDIDATES, 50 + self.k)]
        chunks = list(dict.fromkeys([*found.lists.words, *found.lists.cosines, *best]))
        rows = self.graph.read("retrieve/compared_chunks", chunks=chunks, compared=COMPARED) if chunks else ()
        pool = {row["chunk"]: candidate(self.corpus, row, found.vector) for row in rows}
        return pool, self._crossings(found, pool)

    def evidence(
        self, found: WalkedPool, pool: Mapping[str, Candidate], crossings: Mapping[str, Crossing]
    ) -> PassageSignals:
        """Return what speaks for each candidate."""
        chunks = tuple(sorted(pool))
        crossed = [crossings.get(chunk) for chunk in chunks]
        rows = signals(
            np.array([found.walked.passages.get(chunk, 0.0) for chunk in chunks]),
            np.array([pool[chunk].cosine or 0.0 for chunk in chunks]),
            np.array([found.lists.words.get(chunk, 0.0) for chunk in chunks]),
            np.array([one.cosine if one else 0.0 for one in crossed]),
            np.array([one.page if one else 0.0 for one in crossed]),
        )
        own = frozenset(name for one in pool.values() for name in one.own)
        return PassageSignals(chunks, rows, trust(found.query, found.names, own))

    def _vector(self, query: str) -> list[float] | None:
        """The query's vector; None in a database without vectors, where words do the work and no model is loaded."""
        if self.embedder.is_loaded or check_model(self.graph, self.embedder):
            return self.embedder.embed_query(query)
        return None

    def _lists(self, query: str, vector: list[float] | None) -> Lists:
        """The best passages by words and by vectors; those where the walk may start beside the names are the nearest,
        where there are no vectors those with the query's words."""
        nearest = max(self.weights.nearest, self.k if self.within.is_narrow else 0)  # so that k fit the filter
        hybrid, asked_words = self.stage(HybridRetriever, max(LISTED, self.k)), words(query)
        rows = hybrid.lists(asked_words, vector) if vector else {"dense": []}
        if not rows["dense"]:
            check_model(self.graph, self.embedder)
            rows = {"bm25": self.stage(BM25Retriever, hybrid.k).best(asked_words), "dense": []}
        by_words = {row["chunk"]: float(row["score"]) for row in rows["bm25"]}
        cosines = {row["chunk"]: 2 * row["score"] - 1 for row in rows["dense"]}
        near = {chunk: max(cosine, 0.0) for chunk, cosine in list(cosines.items())[:nearest]}
        return Lists(by_words, cosines, near or {chunk: 1 / at for at, chunk in enumerate(list(by_words)[:nearest], 1)})

    def _walked(self, around: Neighbourhood, names: Sequence[QueryName], near: Mapping[str, float]) -> Ranked:
        """Walk, and walk again after the neighbourhood has grown around the best passages."""
        by_name = {name.form: 1 / math.log(2 + name.passages) for name in names}
        by_passage = {chunk: self.weights.passages * score for chunk, score in near.items()}
        leading = [*around.find({name.form: name.passages for name in names}), *near]
        ranked = Ranked({}, {})
        for _ in range(self.weights.rounds):
            around.grow(leading)
            ranked = self._walk(around, by_name).rank(by_passage, by_name, self.weights.restart)
            leading = sorted(ranked.passages, key=lambda key: (-ranked.passages[key], key))[: self.weights.best]
        return ranked

    def _walk(self, around: Neighbourhood, seeds: Mapping[str, float]) -> Walk:
        """The links of the neighbourhood; hubs are on the way only where the query names them."""
        leaving, entering = {}, {}
        for chunk, passage in sorted(around.passages.items()):
            for name, link in sorted(passage.links.items()):
                if around.mentioned[name] <= HUB or name in seeds:
                    entering[chunk, name] = around.weight(name, link)
                    leaving[chunk, name] = entering[chunk, name] * (1 + self.weights.context * link.fit)
        names = sorted({name for _, name in entering} | set(seeds))
        return Walk(sorted(around.passages), names, leaving, entering)

    def _crossings(self, found: WalkedPool, pool: Mapping[str, Candidate]) -> dict[str, Crossing]:
        """The best bridge to each candidate that mentions one: names of the leading passages, asked one by one."""
        if found.vector is None:
            return {}
        first = {key: self._first(found.walked.passages.get(key, 0.0), one.cosine) for key, one in pool.items()}
        leading = sorted(pool, key=lambda key: (-first[key], key))[:LEADING]
        seeds = {name.form for name in found.names}
        asks = bridges(found.around, leading, found.asked, seeds)
        return crossings(asks, pool, found.around, self.embedder)

    def _first(self, walked: float, cosine: float | None) -> float:
        return math.log(max(walked, 1e-12)) + self.weights.cosine * (cosine or 0.0)


def _hit(one: Candidate, score: float, found: WalkedPool, crossing: Crossing | None, paths: Paths) -> Hit:
    """A candidate with its score and what made it."""
    why: Why = {"pagerank": round(found.walked.passages.get(one.chunk, 0.0), 6)}
    if one.cosine is not None:
        why["cosine"] = round(one.cosine, 6)
    if one.chunk in found.lists.words:
        why["bm25"] = round(found.lists.words[one.chunk], 6)
    if crossing:
        why["bridge"] = crossing.told(found.around.passages[crossing.bridge.chunk].title)
    return Hit(
        chunk=one.chunk,
        document=one.chunk[: keys.KEY],
        title=one.title,
        score=score,
        text=one.text,
        why=why | paths.to(one.chunk, one.title),
    )
