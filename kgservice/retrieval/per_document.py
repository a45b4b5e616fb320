"""Retrieval for questions that every document may bear on (PluriHopRAG: PluriHop, Algorithm 1).

Summaries choose candidate documents, each is searched by itself for each of the questions that the query becomes, and
a scorer drops the documents whose finds are not relevant. What is left is put together: a hit a document before any
document has a second one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import neo4j
from pydantic import Field

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.retrieval.bm25 import bare
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.hit import Hit, best_first
from kgservice.retrieval.reranker import Scorer, SentenceScorer, telling
from kgservice.retrieval.subquestions import ClauseDecomposer, Decomposer, DocumentQuestions


class DocumentEvidence(Record):
    """What one candidate document has on a query: its best chunks, best first, and its relevance by the scorer."""

    document: str
    relevance: float
    hits: tuple[Hit, ...]


class PluriHopRetriever(DenseRetriever):
    """Searches `candidates` documents (K) for `chunks` each and question (k), and keeps those above `threshold` (τ).

    `scorer` None: the best sentence's similarity; `threshold` None: the scorer's own. The order is the ranking (score
    1 / place). `why` gives the document's rank and relevance, the question that found the chunk, with its cosine, and
    the sentence that answers it.
    """

    scorer: Scorer | None = None
    decomposer: Decomposer = Field(default_factory=ClauseDecomposer)
    candidates: int = 100
    chunks: int = 2
    threshold: float | None = None

    def _find(self, query: str) -> list[Hit]:
        return aggregated(self.relevant(query), self.k)

    def relevant(self, query: str) -> list[DocumentEvidence]:
        """Return the candidate documents whose relevance is above the threshold, the most relevant first."""
        threshold = self._judge.threshold if self.threshold is None else self.threshold
        return [found for found in self.evidence(query) if found.relevance > threshold]

    @property
    def _judge(self) -> Scorer:
        return self.scorer or SentenceScorer(self.embedder)

    def evidence(self, query: str) -> list[DocumentEvidence]:
        """Return the candidate documents with what they have, the most relevant first (BadRequest without vectors)."""
        asked = self.decomposer.decompose(query)
        documents = self._candidates(asked.hypothetical_summary)
        found = self._searched(documents, asked)
        together = ["\n".join(hit.text for hit in hits) for hits in found]
        scores = self._judge.scores(asked.hypothetical_summary, together)
        evidence = [
            DocumentEvidence(document=hits[0].document, relevance=score, hits=tuple(hits))
            for hits, score in zip(found, scores, strict=True)
        ]
        return sorted(evidence, key=lambda one: (-one.relevance, one.document))

    def _candidates(self, summary: str) -> list[str]:
        """The keys of the documents whose summaries are nearest to the hypothetical one."""
        rows = self.graph.read(
            "retrieve/nearest_summaries",
            vector=self.query_vector(summary),
            model=self.embedder.name,
            limit=self.candidates,
            **self.within.parameters(self.graph, self.corpus),
        )
        if not rows:
            self.check_vectors()
            if not self.within.is_narrow:
                raise BadRequest(f"the documents of corpus {self.corpus!r} have no summaries: run `kgservice reembed`")
        return [row["document"] for row in rows]

    def _searched(self, documents: Sequence[str], asked: DocumentQuestions) -> list[list[Hit]]:
        """The best chunks of each document over all questions, a document a list; what has no vector is left out."""
        rows = self.graph.read(
            "retrieve/nearest_in_documents",
            keys=list(documents),
            vectors=[self.query_vector(question) for question in asked.questions],
            model=self.embedder.name,
            k=self.chunks,
        )
        return [
            _best([_hit(row, asked.questions[row["question"]]) for row in group])
            for _, group in groupby(rows, key=lambda row: row["document"])
        ]


def aggregated(evidence: Sequence[DocumentEvidence], k: int) -> list[Hit]:
    """Return k hits in rounds over the documents, the best chunk of each first: nothing relevant is left out early."""
    rounds = [
        hit.model_copy(update={"why": {"document rank": rank, "relevance": round(one.relevance, 6), **hit.why}})
        for place in range(max((len(one.hits) for one in evidence), default=0))
        for rank, one in enumerate(evidence, 1)
        for hit in one.hits[place : place + 1]
    ]
    return [hit.model_copy(update={"score": 1 / place}) for place, hit in enumerate(rounds[:k], 1)]


def _hit(row: neo4j.Record, question: str) -> Hit:
    fields = {name: row[name] for name in ("chunk", "document", "title", "text", "score")}
    answer = next(iter(telling(row["text"], bare(question))), "")
    return Hit(**fields, why={"question": question, "cosine": round(2 * row["score"] - 1, 6), "sentence": answer})


def _best(hits: list[Hit]) -> list[Hit]:
    """The hits of one document, each chunk once, by the question that it fits best."""
    ordered = best_first(hits, len(hits))
    return list({hit.chunk: hit for hit in reversed(ordered)}.values())[::-1]
