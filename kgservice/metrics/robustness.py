"""RARE-Met (RARE, section 5.3): when an answer is robust (table 3), and the four scores (table 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from kgservice.core.records import Record
from kgservice.metrics.significance import proportion_interval

QueryKind: TypeAlias = Literal["original", "characters", "words", "grammar", "irrelevant"]
PassageKind: TypeAlias = Literal["ground truth", "reworded", "answer deleted", "retrieved"]
Outcome: TypeAlias = Literal["correct", "refused", "wrong", "failed", "unjudged"]
QUERIES: tuple[QueryKind, ...] = get_args(QueryKind)
PASSAGES: tuple[PassageKind, ...] = get_args(PassageKind)

_CORRECT: frozenset[Outcome] = frozenset(("correct",))
_REFUSED: frozenset[Outcome] = frozenset(("refused",))
_TABLE_3 = {  # (the probe g(q, ∅), the passages): what is robust, be the query as it was or perturbed
    (True, "ground truth"): _CORRECT,
    (True, "reworded"): _CORRECT,
    (True, "answer deleted"): _CORRECT | _REFUSED,
    (True, "retrieved"): _CORRECT | _REFUSED,
    (False, "ground truth"): _CORRECT,
    (False, "reworded"): _CORRECT,
    (False, "answer deleted"): _REFUSED,
    (False, "retrieved"): _CORRECT | _REFUSED,
}
TABLE_3: Mapping[tuple[bool, bool, PassageKind], frozenset[Outcome]] = MappingProxyType(
    {(knows, perturbed, passages): _TABLE_3[knows, passages]
     for knows, perturbed, passages in product((True, False), (False, True), PASSAGES)}
)  # fmt: skip


class JudgedAnswer(Record):
    """An answer to one query from one set of passages; `retrieved` are the chunks found, by key, best first.

    `how` strings agree ("" where a model had to say), `failure` says why there is no answer, or no verdict.
    """

    query: QueryKind
    passages: PassageKind
    retrieved: tuple[str, ...] = ()
    answer: str
    reasoning: str
    failure: str = ""
    how: str = ""
    outcome: Outcome
    robust: bool


class Share(Record):
    """How many of how many answers are robust, and the 95 % interval of the share (Wilson)."""

    robust: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share, 0 where nothing was asked."""
        return self.robust / self.of if self.of else 0.0


class RobustnessScores(Record):
    """The four scores of table 4. `query` varies the query, `document` the passages, one at a time."""

    overall: Share
    query: Share
    document: Share
    retrieval: Share


def robust(passages: PassageKind, outcome: Outcome, *, knows: bool, perturbed: bool) -> bool:
    """Whether an answer is robust; `knows`: the system has the answer by heart, g(q, ∅) = 1."""
    return outcome in TABLE_3[knows, perturbed, passages]


def scores(cells: Sequence[JudgedAnswer]) -> RobustnessScores:
    """Return the scores of answers, each with the same weight; those that no judge could judge do not count."""
    return RobustnessScores(
        overall=share(cells),
        query=share(cell for cell in cells if cell.passages == "ground truth" and cell.query != "original"),
        document=share(cell for cell in cells if cell.passages != "ground truth" and cell.query == "original"),
        retrieval=share(cell for cell in cells if cell.passages == "retrieved" and cell.query == "original"),
    )


def share(cells: Iterable[JudgedAnswer]) -> Share:
    """Return the share of the answers that are robust."""
    found = [cell.robust for cell in cells if cell.outcome != "unjudged"]
    low, high = proportion_interval(sum(found), len(found))
    return Share(robust=sum(found), of=len(found), low=low, high=high)
