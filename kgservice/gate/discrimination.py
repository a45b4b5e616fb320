"""Which questions tell systems apart: item response with two parameters, fitted to the verdicts of several systems.

A system of ability θ is right at a question with the chance σ(a (θ - b)): b is how hard the question is, a how sharply
it divides the systems above b from those below. A question tells most, a² p (1 - p), about systems near its b
(Lord, 1980, Applications of Item Response Theory).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from kgservice.core.errors import BadRequest
from kgservice.gate.baseline import Baseline

Floats: TypeAlias = npt.NDArray[np.float64]
FEWEST = 3  # systems
SPREADS = (1.0, 0.5, 1.5)  # standard deviations of the priors of ability, log a and b


class ItemResponse(NamedTuple):
    """Abilities of the systems; sharpness a and hardness b of the questions."""

    abilities: Floats
    sharpness: Floats
    hardness: Floats

    @property
    def information(self) -> Floats:
        """What each question tells about each system, (systems, questions)."""
        chance = expit(self.sharpness * (self.abilities[:, None] - self.hardness))
        told: Floats = self.sharpness**2 * chance * (1 - chance)
        return told


def fit(right: npt.NDArray[np.bool_]) -> ItemResponse:
    """Fit abilities and both parameters to verdicts, (systems, questions), at their most likely values."""
    sizes = [len(right), *[right.shape[1]] * 2]
    ends, spreads = np.cumsum(sizes)[:2], np.repeat(SPREADS, sizes)
    signs = np.where(right, 1.0, -1.0)

    def loss(given: Floats) -> tuple[float, Floats]:
        ability, log_sharp, hard = np.split(given, ends)
        sharp, apart = np.exp(log_sharp), ability[:, None] - hard
        logits = signs * sharp * apart
        missed = signs * expit(-logits)
        slopes = [-(missed * sharp).sum(1), -(missed * apart * sharp).sum(0), (missed * sharp).sum(0)]
        value = ((given / spreads) ** 2).sum() / 2 - log_expit(logits).sum()
        return float(value), np.concatenate(slopes) + given / spreads**2

    start = np.zeros(sum(sizes))
    start[: len(right)] = right.mean(1) - right.mean()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2_000})
    ability, log_sharp, hard = np.split(found.x, ends)
    return ItemResponse(ability, np.exp(log_sharp), hard)


def most_telling(fitted: ItemResponse, number: int) -> list[int]:
    """Return so many questions that tell most about all of the systems, the most telling first.

    Each is the one that adds most to the sum over systems of log(1 + what is told), so that none is left out.
    """
    told, known = fitted.information, np.zeros(len(fitted.abilities))
    free = np.ones(told.shape[1], bool)
    chosen: list[int] = []
    for _ in range(min(number, told.shape[1])):
        gain = np.log1p(known[:, None] + told).sum(0)
        best = int(np.where(free, gain, -np.inf).argmax())
        free[best] = False
        known += told[:, best]
        chosen.append(best)
    return chosen


def places(runs: Sequence[Baseline]) -> dict[str, int]:
    """Return the place of each question that all of these runs asked, by id, the most telling first (BadRequest)."""
    if len(runs) < FEWEST:
        raise BadRequest(f"questions are chosen by the runs of {FEWEST} systems or more, not of {len(runs)}")
    verdicts = [{one.id: all(one.outcomes.values()) for one in run.verdicts} for run in runs]
    shared = sorted(set.intersection(*map(set, verdicts)))
    if not shared:
        raise BadRequest("no question was asked in all of these runs: let each ask the same ones, --questions 1000")
    fitted = fit(np.array([[row[key] for key in shared] for row in verdicts]))
    return {shared[at]: place for place, at in enumerate(most_telling(fitted, len(shared)))}
