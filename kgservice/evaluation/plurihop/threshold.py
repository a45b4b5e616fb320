"""The threshold of PluriHop's document filter: the ROC of its scorer and the τ to use (section 4.3, figure 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.evaluation.retrieval.questions import Judged
from kgservice.retrieval.per_document import PluriHopRetriever

KEPT = 0.9  # share of the relevant documents, as in the paper


class Point(Record):
    """A threshold with the shares of relevant and of irrelevant documents that score above it."""

    threshold: float
    relevant_kept: float
    irrelevant_kept: float


class Threshold(Record):
    """The area under the ROC, twenty of its points, and the recommended one."""

    relevant: int
    irrelevant: int
    area: float
    chosen: Point
    points: tuple[Point, ...]


def roc(relevant: Sequence[float], irrelevant: Sequence[float], kept: float = KEPT) -> Threshold:
    """Return the ROC of scores.

    The recommended threshold is the highest that keeps at least `kept` of the relevant documents.

    A document is kept if its score is above the threshold. Raises BadRequest if either sequence is empty.
    """
    if not relevant or not irrelevant:
        raise BadRequest("a ROC needs relevant and irrelevant documents: are the judgements those of this corpus?")
    good, bad = np.sort(np.asarray(relevant, float)), np.sort(np.asarray(irrelevant, float))
    area = stats.mannwhitneyu(good, bad).statistic / (len(good) * len(bad))
    points = tuple(_point(good, bad, share / 20) for share in range(20, 0, -1))
    return Threshold(
        relevant=len(good), irrelevant=len(bad), area=float(area), chosen=_point(good, bad, kept), points=points
    )


def threshold(
    retriever: PluriHopRetriever,
    queries: Sequence[Judged],
    kept: float = KEPT,
    advance: Callable[[int], None] = lambda _: None,
) -> Threshold:
    """Score the candidate documents of every query, and return the ROC by the judgements."""
    relevant: list[float] = []
    irrelevant: list[float] = []
    for query in queries:
        gold = {keys.document_key(retriever.corpus, name) for name in query.gold}
        for evidence in retriever.evidence(query.text):
            (relevant if evidence.document in gold else irrelevant).append(evidence.relevance)
        advance(1)
    return roc(relevant, irrelevant, kept)


def _point(good: NDArray[np.float64], bad: NDArray[np.float64], kept: float) -> Point:
    """Return the highest threshold that keeps this share of the good scores, just below the lowest of them.

    Both arrays must be sorted.
    """
    lowest = good[len(good) - ceil(round(kept * len(good), 9))]
    cut = float(np.nextafter(lowest, -np.inf))
    above = [float((scores > cut).mean()) for scores in (good, bad)]
    return Point(threshold=cut, relevant_kept=above[0], irrelevant_kept=above[1])
