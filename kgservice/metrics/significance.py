"""The uncertainty of figures: intervals, paired tests of two runs over the same queries, the z-test of two shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import hypot, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record

RESAMPLES = 9_999
BATCH = 100  # resamples in memory at once


class Comparison(Record):
    """A measure of two runs: both means, a - b, its 95 % interval, and the p-value of the difference."""

    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float


class Proportions(Record):
    """Two shares, a - b with its 95 % interval, and the two-proportion z-test (pooled, two-sided; RARE, G.3)."""

    a: float
    b: float
    difference: float
    low: float
    high: float
    z: float
    p: float


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean (percentiles of 9,999 resamples of the queries)."""
    if len(values) < 2:
        raise BadRequest("an interval needs two queries at least")
    drawn = stats.bootstrap(
        (np.asarray(values, float),), np.mean, n_resamples=RESAMPLES, batch=BATCH, method="percentile", rng=seed
    )
    return float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)


def proportion_interval(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson), 0 to 1 if nothing was counted."""
    if not of:
        return 0.0, 1.0
    wilson = stats.binomtest(hits, of).proportion_ci(method="wilson")
    return float(wilson.low), float(wilson.high)


def proportions(a: tuple[int, int], b: tuple[int, int]) -> Proportions:
    """Return the comparison of two shares, each (hits, of). p is 1 if both are 0 or both are 1.

    The interval combines those of the shares (Newcombe, 1998, method 10), so it stays within -1 and 1. Raises
    BadRequest if one share is of nothing.
    """
    (hits_a, of_a), (hits_b, of_b) = a, b
    if not of_a or not of_b:
        raise BadRequest("a share of nothing cannot be compared: is one of the runs empty?")
    first, second, pooled = hits_a / of_a, hits_b / of_b, (hits_a + hits_b) / (of_a + of_b)
    error = sqrt(pooled * (1 - pooled) * (1 / of_a + 1 / of_b))
    z = (first - second) / error if error else 0.0
    (low_a, high_a), (low_b, high_b) = proportion_interval(hits_a, of_a), proportion_interval(hits_b, of_b)
    return Proportions(
        a=first, b=second, difference=first - second, low=first - second - hypot(first - low_a, high_b - second),
        high=first - second + hypot(high_a - first, second - low_b), z=z, p=float(2 * stats.norm.sf(abs(z))),
    )  # fmt: skip


def compared(a: Sequence[float], b: Sequence[float], seed: int = 0) -> Comparison:
    """Return the comparison of two runs query by query: paired bootstrap for the interval, randomisation test for p.

    The test swaps the two runs' values of a query at random (two-sided; Smucker, Allan and Carterette, 2007). For few
    queries it tries all swaps.
    """
    first, second = np.asarray(a, float), np.asarray(b, float)
    low, high = interval((first - second).tolist(), seed)
    test = stats.permutation_test(
        (first, second), _difference, permutation_type="samples", vectorized=True, n_resamples=RESAMPLES, batch=BATCH,
        rng=seed,
    )  # fmt: skip
    return Comparison(
        a=first.mean(), b=second.mean(), difference=(first - second).mean(), low=low, high=high, p=float(test.pvalue)
    )


def compare(
    a: Mapping[str, Mapping[str, float]],
    b: Mapping[str, Mapping[str, float]],
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> dict[str, Comparison]:
    """Return the comparison of the named measures (None: all) of two runs, {query: {measure: value}}.

    A measure is compared over the queries that have it in both runs, if two do. Raises BadRequest if the runs share
    fewer than two queries, or if a name is not shared.
    """
    queries = [query for query in a if query in b]
    if len(queries) < 2:
        raise BadRequest(f"the two runs share {len(queries)} queries: save both over the same queries")
    times = Counter(name for query in queries for name in a[query] if name in b[query])
    shared = [name for name, count in times.items() if count > 1]
    if unknown := [name for name in names or () if name not in shared]:
        raise BadRequest(f"the runs do not share {unknown[0]!r}: choose of {', '.join(shared)}")
    comparisons = {}
    for name in names or shared:
        both = [query for query in queries if name in a[query] and name in b[query]]
        comparisons[name] = compared([a[query][name] for query in both], [b[query][name] for query in both], seed)
    return comparisons


def _difference(a: NDArray[np.float64], b: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    return np.asarray(a.mean(axis=axis) - b.mean(axis=axis))
