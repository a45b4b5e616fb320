"""The stale rate: how many answers are right by what the documents said before, and wrong by what they say now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kgservice.core.records import Record


class StaleRate(Record):
    """The number of stale answers to the `of` questions whose answer has changed, and the 95 % interval (Wilson).

    An answer is stale if it is right in the version before and wrong in this one, or if it holds the old answer where
    that holds the new one ("Acme, Borea", now Acme alone). `current` of them are right in this one and not stale.
    `since` is the version before.
    """

    since: str
    stale: int
    current: int
    of: int
    rate: float
    low: float
    high: float


def stale_rate(
    answered: Iterable[tuple[Sequence[str], Sequence[str], str]],
    since: str,
    matches: Callable[[Sequence[str], str], bool],
) -> StaleRate:
    """Return the stale rate of (answers before, answers now, the system's answer) for each changed question."""
    from kgservice.metrics.significance import proportion_interval  # with scipy, a second

    stale, current, of = 0, 0, 0
    for before, now, said in answered:
        is_right, was_right = matches(now, said), matches(before, said)
        was_more = matches(now, ", ".join(before)) and not matches(before, ", ".join(now))
        is_stale = was_right and (was_more or not is_right)
        stale += is_stale
        current += is_right and not is_stale
        of += 1
    low, high = proportion_interval(stale, of)
    rate = round(stale / of, 4) if of else 0.0
    return StaleRate(
        since=since, stale=stale, current=current, of=of, rate=rate, low=round(low, 4), high=round(high, 4)
    )
