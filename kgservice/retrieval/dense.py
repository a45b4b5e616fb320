"""Dense retrieval: cosine similarity of sentence-transformers vectors, by the vector index in Neo4j."""

from __future__ import annotations

from typing import Any

from kgservice import keys
from kgservice.embedding import check_model
from kgservice.errors import BadRequest
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.retriever import Retriever

FIRST = 4  # times k: candidates of the first look, as other corpora share the index
WIDEST = 5_000  # beyond this the corpus is a small part of the index, and its own vectors are compared one by one


class DenseRetriever(Retriever):
    """Ranks chunks by the cosine of their vector with the query's; `why` gives it, and the model."""

    def _find(self, query: str) -> list[Hit]:
        if not self.graph.read("read/embedding_model"):
            raise self._without_vectors()
        check_model(self.graph, self.embedder)
        rows = self.nearest(self.embedder.embed([query])[0])
        if not rows:
            raise self._without_vectors()
        return [Hit(**row, why={"cosine": round(2 * row["score"] - 1, 6), "model": self.embedder.name}) for row in rows]

    def nearest(self, vector: list[float]) -> list[dict[str, Any]]:
        """Look at more and more of the index; where the corpus's k best are not clear then, compare all its vectors."""
        code, limit = keys.corpus_code(self.corpus), FIRST * self.k
        within = {"vector": vector, "k": self.k, "code": code, "until": code + "~"}
        while limit <= WIDEST:
            row = self.graph.read("retrieve/nearest_chunks", limit=limit, **within)[0]
            hits: list[dict[str, Any]] = row["hits"]
            if len(hits) == self.k and hits[-1]["score"] > row["last"]:  # so nothing unseen can tie with them
                return hits
            if row["seen"] < limit:
                break
            limit *= 2
        return [row.data() for row in self.graph.read("retrieve/nearest_in_corpus", **within)]

    def _without_vectors(self) -> BadRequest:
        return BadRequest(
            f"corpus {self.corpus!r} has no vectors: load it without --no-vectors, or run `kgservice reembed` "
            f"(bare triples never get any: use bm25)"
        )
