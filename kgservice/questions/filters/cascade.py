"""The cascade: filters that look at one question alone, in order, each rejection counted under the filter's name.

Generation and refresh run it, and a refresh comes to what a full generation comes to just because no filter here looks
at another question. What does is in duplicates.py and in `correspondence.tails`, for export and release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from pydantic import Field

from kgservice.core.records import Record, Subgraph
from kgservice.questions.filters import correspondence, grammar, leakage, presence, rarity, relation, spans, worth


class Filter(NamedTuple):
    """A filter by its name: the reason to reject a subgraph's question in these words, "" for none."""

    name: str
    fault: Callable[[Subgraph, str], str]


PROVED = ("answer uniqueness", "cross-chunk need")  # by the query that enumerates (cypher/patterns)
CASCADE = (
    Filter("relation", relation.rejection_reason),
    Filter("pivot rarity", rarity.rejection_reason),
    Filter("table span", spans.rejection_reason),
    Filter("entity present", presence.rejection_reason),
    Filter("worth asking", worth.rejection_reason),
    Filter("grammar", grammar.rejection_reason),
    Filter("answer not in the question", leakage.answer_told),
    Filter("bridge not named", leakage.bridge_named),
    Filter("graph correspondence", correspondence.rejection_reason),
)
JUDGED = ("closed book", "judge: RARE", "judge: DRAGON, question", "judge: DRAGON, answer")  # by a language model


class Sifted(Record):
    """What a filter did: in = passed + rejected + failed (a model gave no usable answer).

    `how` is "run", "by the query" or "not run: …": what was not run passed nothing. A filter itself fails by a fault
    in the program alone.
    """

    filter: str
    how: str
    passed: int
    rejected: dict[str, int]
    failed: dict[str, int] = Field(default_factory=dict)
    variance: float | None = Field(
        None, description="of a judge's votes: a question's largest, the mean of all questions"
    )


class Cascade:
    """Runs the filters and counts."""

    def __init__(self) -> None:
        self._seen = 0
        self._passed: Counter[str] = Counter()
        self._rejected: dict[str, Counter[str]] = {one.name: Counter() for one in CASCADE}
        self._failed: dict[str, Counter[str]] = {one.name: Counter() for one in CASCADE}

    def fault(self, row: Subgraph, text: str) -> str:
        """Return the first reason to reject, "" for none, and count it; what a filter raises is counted, too."""
        self._seen += 1
        for one in CASCADE:
            try:
                reason = one.fault(row, text)
            except Exception as error:
                self._failed[one.name][type(error).__name__] += 1
                raise
            if reason:
                self._rejected[one.name][reason] += 1
                return reason
            self._passed[one.name] += 1
        return ""

    def table(self) -> tuple[Sifted, ...]:
        """Return what every filter did, those that need a language model as not run."""
        proved = [Sifted(filter=name, how="by the query", passed=self._seen, rejected={}) for name in PROVED]
        run = [
            Sifted(
                filter=one.name,
                how="run",
                passed=self._passed[one.name],
                rejected=dict(sorted(self._rejected[one.name].items())),
                failed=dict(sorted(self._failed[one.name].items())),
            )
            for one in CASCADE
        ]
        why = "not run: no language model in this step"
        judged = [Sifted(filter=name, how=why, passed=0, rejected={}) for name in JUDGED]
        return (*proved, *run, *judged)


def rejection_reason(row: Subgraph, text: str) -> str:
    """Return the first reason to reject a subgraph's question in these words, "" for none."""
    return next((reason for one in CASCADE if (reason := one.fault(row, text))), "")
