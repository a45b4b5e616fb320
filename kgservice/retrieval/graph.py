"""Graph retrieval without any model call but the query's vector: personalised PageRank over passages and names.

After HippoRAG (Gutiérrez et al., 2024; 2025), on the mention graph of a corpus and on a bounded part of it: the names
that stand in the query lead to passages, what those mention leads to others, and the words around a name that fit the
question ("directed by" for "the director of") make its link stronger.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import neo4j
from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Record, Scalar
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.retriever import Retriever
from kgservice.retrieval.walk.context_fit import sought_names
from kgservice.retrieval.walk.neighbourhood import HUB, Neighbourhood
from kgservice.retrieval.walk.pagerank import Ranked, Walk
from kgservice.retrieval.walk.paths import Paths
from kgservice.retrieval.walk.query_names import QueryName, query_names
from kgservice.vectors.embedder import check_model

COMPARED = 50  # best passages of the walk that are compared with the query's vector, and k more


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
    cosine: float = Field(2.0, description="added to the logarithm of a passage's score × its cosine with the query")


class GraphRetriever(Retriever):
    """Ranks chunks by a walk from the query's names; `why` gives the scores, the names and the way to the chunk."""

    weights: WalkWeights = WalkWeights()

    def _find(self, query: str) -> list[Hit]:
        weights, vector = self.weights, self._vector(query)
        names = query_names(self.graph, self.corpus, query)
        words = sought_names(query, [name.label for name in names])
        around = Neighbourhood(self.graph, self.corpus, words, weights.title, weights.head)
        near = self._near(query, vector)
        walked = self._walked(around, names, near)
        within = self.within.parameters(self.graph, self.corpus)["documents"]
        fitting = [key for key in walked.passages if within is None or key[: keys.KEY] in within]
        best = sorted(fitting, key=lambda key: (-walked.passages[key], key))[: COMPARED + self.k]
        rows = self.graph.read("retrieve/compared_chunks", chunks=best, vector=vector)
        hits = [self._hit(row, walked.passages[row["chunk"]]) for row in rows if walked.passages[row["chunk"]] > 0]
        hits.sort(key=lambda hit: (-hit.score, hit.chunk))
        paths = Paths(around, walked, names, near)
        return [_explained(hit, paths) for hit in hits[: self.k]]

    def _vector(self, query: str) -> list[float] | None:
        """The query's vector; None in a database without vectors, where words do the work and no model is loaded."""
        if self.embedder.is_loaded or check_model(self.graph, self.embedder):
            return self.embedder.embed_query(query)
        return None

    def _near(self, query: str, vector: list[float] | None) -> dict[str, float]:
        """Where the walk may start beside the names: the passages nearest to the query, else those with its words."""
        k = max(self.weights.nearest, self.k if self.within.is_narrow else 0)  # so that k fit the filter
        common = {"graph": self.graph, "corpus": self.corpus, "embedder": self.embedder, "k": k, "within": self.within}
        rows = DenseRetriever(**common).nearest(vector) if vector else []
        if rows:
            return {row["chunk"]: max(2 * row["score"] - 1, 0.0) for row in rows}
        check_model(self.graph, self.embedder)
        return {hit.chunk: 1 / rank for rank, hit in enumerate(BM25Retriever(**common).hits(query), 1)}

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

    def _hit(self, row: neo4j.Record, score: float) -> Hit:
        """A chunk with its score: the logarithm of the walk's, raised where its text is near the query's."""
        total = math.log(score) + self.weights.cosine * (row["cosine"] or 0.0)
        why: dict[str, Scalar | tuple[str, ...]] = {"pagerank": round(score, 6)}
        if row["cosine"] is not None:
            why["cosine"] = round(row["cosine"], 6)
        return Hit(
            chunk=row["chunk"],
            document=row["chunk"][: keys.KEY],
            title=row["title"],
            score=total,
            text=row["text"],
            why=why,
        )


def _explained(hit: Hit, paths: Paths) -> Hit:
    return hit.model_copy(update={"why": hit.why | paths.to(hit.chunk)})
