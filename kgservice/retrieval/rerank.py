"""Re-ranking: a first retriever finds many chunks, and a scorer that reads query and text together orders them."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from kgservice.core.errors import BadRequest
from kgservice.retrieval.hit import Hit, best_first
from kgservice.retrieval.hybrid import HybridRetriever
from kgservice.retrieval.reranker import Scorer
from kgservice.retrieval.retriever import Retriever

DEPTH = 80  # PluriHop keeps 20 of them
NO_MODEL = (
    "rerank needs a cross-encoder: set KGS_RERANKER to a model's name or folder, or to the address of a service that "
    "takes /rerank; or use graph or hybrid, which need none"
)


class RerankRetriever(Retriever):
    """A ranking of the 80 best chunks (or k, if that is more) of another retriever, `under`, by a scorer.

    `why` gives the scorer's name, and the rank and score of the first stage. Raises BadRequest without a scorer: the
    similarity of the best sentence, which needs no cross-encoder, measures below the first stage.
    """

    scorer: Scorer | None = None
    under: type[Retriever] = HybridRetriever

    @model_validator(mode="after")
    def _needs_a_scorer(self) -> Self:
        check_scorer(self.scorer)
        return self

    def _find(self, query: str) -> list[Hit]:
        scorer = check_scorer(self.scorer)
        first = self.stage(self.under, max(DEPTH, self.k))._find(query)
        scores = scorer.scores(query, [f"{hit.title}. {hit.text}" if hit.title else hit.text for hit in first])
        ranked = [
            hit.rescored(score, {"scorer": scorer.name, "first rank": rank, "first score": round(hit.score, 6)})
            for rank, (hit, score) in enumerate(zip(first, scores, strict=True), 1)
        ]
        return best_first(ranked, self.k)


def check_scorer(scorer: Scorer | None) -> Scorer:
    """Return a scorer. Raises BadRequest, which says what to do, if there is none."""
    if scorer is None:
        raise BadRequest(NO_MODEL)
    return scorer
