"""Retrieval for questions that every document may bear on (PluriHopRAG: PluriHop, Algorithm 1).

Summaries select candidate documents. Each candidate is searched separately for each subquestion, and a scorer drops the
documents whose hits are not relevant. The hits of the rest are interleaved: one a document before any document has a
second one.
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
    """The evidence of one candidate document for a query: its best chunks, best first, and its relevance score."""

    document: str
    relevance: float
    hits: tuple[Hit, ...]


class PluriHopRetriever(DenseRetriever):
    """A ranking over the relevant of `candidates` documents (K), `chunks` hits a document and subquestion (k).

    A document is relevant if its score is above `threshold` (τ). `scorer` None: the best sentence's similarity.
    `threshold` None: the scorer's own. The order is the ranking (score 1 / place). `why` gives the document's rank and
    relevance, the subquestion with its cosine, and the sentence that answers it.
    """

    scorer: Scorer | None = None
    decomposer: Decomposer = Field(default_factory=ClauseDecomposer)
    candidates: int = 100
    chunks: int = 2
    threshold: float | None = None

    def _find(self, query: str) -> list[Hit]:
        return aggregated(self.relevant(query), self.k)

    def relevant(self, query: str) -> list[DocumentEvidence]:
        """Return the candidate documents with a relevance above the threshold, the most relevant first."""
        threshold = self.judge.threshold if self.threshold is None else self.threshold
        return [document for document in self.evidence(query) if document.relevance > threshold]

    @property
    def judge(self) -> Scorer:
        """Return the scorer of documents."""
        return self.scorer or SentenceScorer(self.embedder)

    def evidence(self, query: str) -> list[DocumentEvidence]:
        """Return the evidence of the candidate documents, the most relevant first.

        Raises BadRequest if the corpus has no vectors or no summaries.
        """
        asked = self.decomposer.decompose(query)
        documents = self._candidates(asked.hypothetical_summary)
        searched = self._searched(documents, asked)
        together = ["\n".join(hit.text for hit in hits) for hits in searched]
        scores = self.judge.scores(asked.hypothetical_summary, together)
        evidence = [
            DocumentEvidence(document=hits[0].document, relevance=score, hits=tuple(hits))
            for hits, score in zip(searched, scores, strict=True)
        ]
        return sorted(evidence, key=lambda document: (-document.relevance, document.document))

    def _candidates(self, summary: str) -> list[str]:
        """Return the keys of the documents whose summaries are nearest to the hypothetical one."""
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
        """Return the best chunks over all subquestions, a list a document. Chunks without a vector are skipped."""
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
    """Return k hits in rounds over the documents, the best chunk of each first.

    So every relevant document comes early.
    """
    rounds = [
        hit.model_copy(update={"why": {"document rank": rank, "relevance": round(document.relevance, 6), **hit.why}})
        for place in range(max((len(document.hits) for document in evidence), default=0))
        for rank, document in enumerate(evidence, 1)
        for hit in document.hits[place : place + 1]
    ]
    return [hit.model_copy(update={"score": 1 / place}) for place, hit in enumerate(rounds[:k], 1)]


def _hit(row: neo4j.Record, question: str) -> Hit:
    fields = {name: row[name] for name in ("chunk", "document", "title", "text", "score")}
    answer = next(iter(telling(row["text"], bare(question))), "")
    return Hit(**fields, why={"question": question, "cosine": round(2 * row["score"] - 1, 6), "sentence": answer})


def _best(hits: list[Hit]) -> list[Hit]:
    """Return the hits of one document, each chunk once with its best subquestion."""
    found: dict[str, Hit] = {}
    for hit in best_first(hits, len(hits)):
        found.setdefault(hit.chunk, hit)
    return list(found.values())
