"""Shares of right answers with their intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kgservice.core.records import Record
from kgservice.metrics.significance import proportion_interval


class Accuracy(Record):
    """The number of right answers among `of`, and the 95 % interval of the share (Wilson)."""

    correct: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Return the share, 0 if there are no answers."""
        return self.correct / self.of if self.of else 0.0


def accuracy(right: Iterable[bool]) -> Accuracy:
    """Return the share of right answers."""
    outcomes = list(right)
    low, high = proportion_interval(sum(outcomes), len(outcomes))
    return Accuracy(correct=sum(outcomes), of=len(outcomes), low=low, high=high)


def grouped(right: Iterable[tuple[str, bool]]) -> dict[str, Accuracy]:
    """Return the share of each group, in the order of names. An answer may be in several groups."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for name, is_right in right:
        groups[name].append(is_right)
    return {name: accuracy(groups[name]) for name in sorted(groups)}
