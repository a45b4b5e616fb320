"""What a leaderboard may say while its release is open, so that no number of submissions finds the answers out.

Half of a release's test questions, for ever the same by their keys, is the public half. The board shows the total over
it, by the Ladder of Blum and Hardt (2015): a team's score moves only where a submission is better than its best one so
far by a step at least, and by more than chance explains; then it is shown rounded to the step. "More than chance" is
their parameter-free Ladder's paired comparison, at a level of which each further comparison has less (a union bound),
so that however many are tried, `CHANCE` bounds that a rise is luck. Real rises tell something too, and who begins with
a bad submission can make many: so a team has `RISES` a release. The private half is shown when the release is closed.
`benchmarks/ladder.py` attacks this.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, pvariance

from kgservice.core import keys

STEP, ANSWERS = 0.02, 4  # of a score; at least so many answers' worth
RISES = 3  # of a team in a release, the first score one of them
CHANCE = 0.05  # that a team sees a rise in a release which is none


def in_public_half(question: str) -> bool:
    """Say whether a question's answers count for the board of an open release, by its key."""
    return int(keys.digest(4, "half", question), 32) < 0.5 * 32**4


def step(questions: int) -> float:
    """Return the step of a score that is a mean over so many questions."""
    return max(STEP, ANSWERS / max(questions, 1))


def rounded(value: float, questions: int) -> float:
    """Return a score as it is shown: a multiple of the step, at most 1."""
    size = step(questions)
    return round(min(round(value / size) * size, 1.0), 4)


def rises(new: Sequence[float], best: Sequence[float] | None, compared: int, risen: int) -> bool:
    """Say whether a team's shown score moves: what each question is worth now and was in the best submission so far.

    `compared`: how many comparisons the team has had before in this release, `risen`: how often its score moved.
    """
    if best is None or risen >= RISES:
        return best is None and bool(new)
    gains = [one - other for one, other in zip(new, best, strict=True)]
    level = CHANCE / ((compared + 1) * (compared + 2))  # they add up to CHANCE
    noise = NormalDist().inv_cdf(1 - level) * sqrt(pvariance(gains) / len(gains))
    return fmean(gains) > max(step(len(gains)), noise)
