"""A share of right answers, with its interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kgservice.core.records import Record
from kgservice.metrics.significance import proportion_interval


class Accuracy(Record):
    """How many of how many answers are right, and the 95 % interval of the share (Wilson)."""

    correct: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share, 0 where nothing was asked."""
        return self.correct / self.of if self.of else 0.0


def accuracy(right: Iterable[bool]) -> Accuracy:
    """Return the share of answers that are right."""
    found = list(right)
    low, high = proportion_interval(sum(found), len(found))
    return Accuracy(correct=sum(found), of=len(found), low=low, high=high)


def grouped(right: Iterable[tuple[str, bool]]) -> dict[str, Accuracy]:
    """Return the share of each group, in order of its name; an item may be in several."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for name, one in right:
        groups[name].append(one)
    return {name: accuracy(groups[name]) for name in sorted(groups)}
