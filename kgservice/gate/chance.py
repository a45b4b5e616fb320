"""Whether a drop is more than chance: an exact paired permutation test over clusters, and the power that it had."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from kgservice.core.records import Record

DROP = 0.1  # the drop of which the power is told


class DropTest(Record):
    """One measure before and now, over the `questions` in `clusters` that both have.

    `p` is the chance of such a drop or a larger one where nothing changed; `power` the chance that a drop of ten points
    would have been found.
    """

    before: float
    now: float
    questions: int
    clusters: int
    worse: int
    better: int
    p: float
    power: float


def drop_by_chance(differences: Sequence[int]) -> float:
    """Return how often a sum like that of `differences` (before - now, a cluster each) or a larger one comes of chance.

    Where nothing changed, each cluster's difference is as likely as its opposite: all signs are counted, exactly
    (one-sided; Fisher's permutation test for pairs, on whole clusters).
    """
    moved = [abs(one) for one in differences if one]
    chances = np.ones(1)  # of each sum, from -total to total
    for one in moved:
        wider = np.zeros(len(chances) + 2 * one)
        wider[: len(chances)] += chances / 2
        wider[2 * one :] += chances / 2
        chances = wider
    return float(min(1.0, chances[sum(differences) + sum(moved) :].sum()))


def power(clusters: int, better: int, alpha: float) -> float:
    """Return how often a drop is found at level `alpha`: clusters get better by chance as often as they did here.

    Worse ones come by the same chance and, in a share DROP of all, by the drop. The sign test's power, exactly.
    """
    if not clusters:
        return 0.0
    chance = min(better / clusters, (1 - DROP) / 2)
    moved = np.arange(clusters + 1)
    of_moved = stats.binom.pmf(moved, clusters, 2 * chance + DROP)
    least = stats.binom.isf(alpha, moved, 0.5) + 1  # so many of the moved ones must be worse
    found = stats.binom.sf(least - 1, moved, (chance + DROP) / (2 * chance + DROP))
    return float((of_moved * found).sum())
