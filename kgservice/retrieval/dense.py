"""Dense retrieval: cosine similarity of sentence-transformers vectors, by the vector index in Neo4j."""

from __future__ import annotations

import math
from typing import Any

from neo4j.exceptions import ClientError

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.retrieval.hit import Hit, PlacedHit
from kgservice.retrieval.retriever import MAX_K, Look, Retriever
from kgservice.vectors.embedder import check_model

FEWEST = 30  # vectors of a first look
MARGIN = 1.5  # more than k fitting vectors are hoped for in a further look, as they lie unevenly
WIDEST = 5_000  # candidates; if more are needed, the corpus is a small part of the index and is compared exactly


class DenseRetriever(Retriever):
    """A ranking of chunks by the cosine of their vector with the query's. `why` gives the cosine and the model."""

    def _find(self, query: str) -> list[Hit]:
        rows = self.nearest(self.query_vector(query))
        if not rows:
            self.check_vectors()
        return [
            PlacedHit(**row, why={"cosine": round(2 * row["score"] - 1, 6), "model": self.embedder.name})
            for row in rows
        ]

    def query_vector(self, query: str) -> list[float]:
        """Return the query's vector.

        Loading a model takes seconds, so a model that is not loaded is checked first. Raises as `check_vectors`.
        """
        if not self.embedder.is_loaded:
            self.check_vectors()
        return self.embedder.embed_query(query)

    def nearest(self, vector: list[float], look: Look | None = None, enough: int = MAX_K) -> list[dict[str, Any]]:
        """Return the rows of the k nearest chunks, or of fewer if a look finds `enough` of them.

        A further look at the index is as wide as the share of fitting vectors in the one before asks for, and at least
        twice as wide. If that is more than WIDEST, or there is no index, all vectors that pass the filter are compared.
        A filter by documents goes straight to the exact comparison, as it selects a small part of the index.
        """
        asked = {"vector": vector, "k": self.k, "model": self.embedder.name}
        dated = self.graph.has_own_indexes and self.within.is_dated
        statement = "retrieve/nearest_published" if dated else "retrieve/nearest_chunks"
        where = self.within.dates(self.corpus) if dated else self.within.parameters(self.graph, self.corpus)
        limit = WIDEST + 1 if self.within.documents else self.first
        while limit <= WIDEST:
            try:
                look = look or self.graph.read(statement, limit=limit, **asked, **where)[0]
            except ClientError as error:
                if not _lacks_index(error):
                    raise
                break
            hits: list[dict[str, Any]] = look["hits"]
            if len(hits) >= min(self.k, enough) and _are_clear(hits, look):
                return hits
            if look["seen"] < limit:
                break
            look, limit = None, limit * max(2, math.ceil(MARGIN * self.k / max(1, len(hits))))
        if dated:
            where = self.within.parameters(self.graph, self.corpus)
        return [row.data() for row in self.graph.read("retrieve/nearest_in_corpus", **asked, **where)]

    @property
    def first(self) -> int:
        """Return the number of vectors of the first look.

        An index compares quantized vectors, and finds fewer of the k best where it is asked for few. Of 3k, and at
        least 30, it has .99 of them or more, and nDCG@10 is as of 4k (docs/retrieval.md).
        """
        return max(self.k, min(max(3 * self.k, FEWEST), WIDEST))

    def check_vectors(self) -> None:
        """Reject a corpus without vectors or with those of another model.

        Raises NotFound if the corpus does not exist, BadRequest if it has no vectors, SettingsError if another model
        made them.
        """
        self.graph.check_corpus(self.corpus)
        if check_model(self.graph, self.embedder):
            code = keys.corpus_code(self.corpus)
            if self.graph.read("read/vectors", after=code, until=code + "~", limit=1):
                return
        if self.corpus in self.graph.views():
            raise BadRequest(f"{self.corpus!r}, a corpus as of a day, has no vectors: use bm25 or graph")
        raise BadRequest(
            f"corpus {self.corpus!r} has no vectors: load it without --no-vectors, or run `kgservice reembed` "
            f"(bare triples never get any: use bm25)"
        )


def _lacks_index(error: ClientError) -> bool:
    """Return whether a statement names an index that is not there: of a corpus without vectors, on Neo4j 2026."""
    return error.code == "Neo.ClientError.Schema.IndexNotFound"


def _are_clear(hits: list[dict[str, Any]], look: Look) -> bool:
    """Return whether no chunk that was not seen can tie with the hits.

    True if the last hit scores better than the worst candidate or, with no more candidates, if the last two hits
    differ.
    """
    if look["seen"] > len(hits):
        return bool(hits[-1]["score"] > look["last"])
    return len(hits) == 1 or bool(hits[-2]["score"] > hits[-1]["score"])
