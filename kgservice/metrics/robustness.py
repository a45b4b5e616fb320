"""RARE-Met (RARE, section 5.3): the robustness of an answer (table 3), and the four scores (table 4)."""

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
_TABLE_3 = {  # (probe g(q, ∅), passages): robust outcomes, for original and perturbed queries alike
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
    """An answer to one query from one set of passages.

    `retrieved` are the keys of the chunks that `retriever` found, best first. `how` tells how strings agree
    ("" if a model decided), `failure` why there is no answer or no verdict.
    """

    query: QueryKind
    passages: PassageKind
    retriever: str = ""
    retrieved: tuple[str, ...] = ()
    answer: str
    reasoning: str
    failure: str = ""
    how: str = ""
    outcome: Outcome
    robust: bool


class Share(Record):
    """The number of robust answers among `of`, and the 95 % interval of the share (Wilson)."""

    robust: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Return the share, 0 if there are no answers."""
        return self.robust / self.of if self.of else 0.0


class RobustnessScores(Record):
    """The four scores of table 4. `query` varies the query alone, `document` the passages alone."""

    overall: Share
    query: Share
    document: Share
    retrieval: Share


def robust(passages: PassageKind, outcome: Outcome, *, knows: bool, perturbed: bool) -> bool:
    """Return whether an answer is robust. `knows`: the system answers right without passages, g(q, ∅) = 1."""
    return outcome in TABLE_3[knows, perturbed, passages]


def scores(cells: Sequence[JudgedAnswer]) -> RobustnessScores:
    """Return the scores of answers, each with the same weight. Unjudged answers are not counted."""
    return RobustnessScores(
        overall=share(cells),
        query=share(cell for cell in cells if cell.passages == "ground truth" and cell.query != "original"),
        document=share(cell for cell in cells if cell.passages != "ground truth" and cell.query == "original"),
        retrieval=share(cell for cell in cells if cell.passages == "retrieved" and cell.query == "original"),
    )


def share(cells: Iterable[JudgedAnswer]) -> Share:
    """Return the share of robust answers."""
    outcomes = [cell.robust for cell in cells if cell.outcome != "unjudged"]
    low, high = proportion_interval(sum(outcomes), len(outcomes))
    return Share(robust=sum(outcomes), of=len(outcomes), low=low, high=high)
