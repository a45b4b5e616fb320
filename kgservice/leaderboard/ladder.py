"""The scores that a leaderboard shows while its release is open, so that no number of submissions reveals the answers.

Half of a release's test questions, fixed by their keys, is the public half. The board shows the total over it by the
Ladder of Blum and Hardt (2015). A team's score rises only if a submission is better than its best one by at least a
step and by more than chance explains. It is then shown rounded to the step. "More than chance" is the paired comparison
of their parameter-free Ladder. Each further comparison has a lower level (a union bound), so `CHANCE` bounds the
probability of a false rise over all of them. True rises also reveal something, and a bad first submission leaves room
for many, so a team has `RISES` a release. The private half is shown when the release is closed. `benchmarks/ladder.py`
attacks this.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, pvariance

from kgservice.core import keys

STEP, ANSWERS = 0.02, 4  # least step of a score, and its least size in answers
RISES = 3  # rises of a team in a release, with its first score
CHANCE = 0.05  # bound on a team's probability of a false rise in a release


def in_public_half(question: str) -> bool:
    """Return whether a question, by its key, is in the public half that an open release's board counts."""
    return int(keys.digest(4, "half", question), 32) < 0.5 * 32**4


def step(questions: int) -> float:
    """Return the step of a score that is a mean over so many questions.

    It divides 1, so that a score of 1 is shown as 1. Fewer than `ANSWERS` questions have no such step.
    """
    least = max(STEP, ANSWERS / max(questions, 1))
    steps = int(round(1 / least, 9))
    return 1 / steps if steps else least


def rounded(value: float, questions: int) -> float:
    """Return a score as shown: a multiple of the step, at most 1."""
    size = step(questions)
    return round(min(round(value / size) * size, 1.0), 4)


def rises(new: Sequence[float], best: Sequence[float] | None, compared: int, risen: int) -> bool:
    """Return whether a team's shown score rises, by the values of each question now and in the best submission so far.

    `compared`: the team's earlier comparisons in this release. `risen`: its rises so far.
    """
    if best is None or risen >= RISES:
        return best is None and bool(new)
    gains = [value - other for value, other in zip(new, best, strict=True)]
    level = CHANCE / ((compared + 1) * (compared + 2))  # the levels sum to CHANCE
    noise = NormalDist().inv_cdf(1 - level) * sqrt(pvariance(gains) / len(gains))
    return fmean(gains) > max(step(len(gains)), noise)
