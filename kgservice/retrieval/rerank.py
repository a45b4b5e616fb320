"""Re-ranking: a first retriever finds many chunks, and a scorer that reads query and text together orders them."""

from __future__ import annotations

from kgservice.retrieval.hit import Hit, Why, best_first
from kgservice.retrieval.hybrid import HybridRetriever
from kgservice.retrieval.reranker import Scorer, SentenceScorer
from kgservice.retrieval.retriever import Retriever

DEPTH = 80  # PluriHop keeps 20 of them
NO_MODEL = "no cross-encoder: the best sentence's cosine orders below the first stage; name a model in KGS_RERANKER"


class RerankRetriever(Retriever):
    """A ranking of the 80 best chunks (or k, if that is more) of another retriever, `under`, by a scorer.

    `scorer` None: the best sentence's similarity, which measures below the first stage (docs/retrieval.md), so `why`
    has a `note` about it. `why` also gives the scorer's name, and the rank and score of the first stage.
    """

    scorer: Scorer | None = None
    under: type[Retriever] = HybridRetriever

    def _find(self, query: str) -> list[Hit]:
        scorer = self.scorer or SentenceScorer(self.embedder)
        first = self.stage(self.under, max(DEPTH, self.k))._find(query)
        scores = scorer.scores(query, [f"{hit.title}. {hit.text}" if hit.title else hit.text for hit in first])
        named: Why = {"scorer": scorer.name}
        if isinstance(scorer, SentenceScorer):
            named["note"] = NO_MODEL
        ranked = [
            hit.rescored(score, named | {"first rank": rank, "first score": round(hit.score, 6)})
            for rank, (hit, score) in enumerate(zip(first, scores, strict=True), 1)
        ]
        return best_first(ranked, self.k)
