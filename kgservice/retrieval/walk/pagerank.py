"""Personalised PageRank between passages and the names that they mention (HippoRAG's walk, on a neighbourhood)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

ITERATIONS = 20  # enough for the order of the best at any useful restart

Weights: TypeAlias = Mapping[tuple[str, str], float]
Vector: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


class Ranked(NamedTuple):
    """Scores of passages and of names. They sum to 1, minus the loss at passages without names."""

    passages: dict[str, float]
    names: dict[str, float]


class Walk:
    """A walk over (passage, name) links: from a passage by the weights `leaving`, from a name by `entering`.

    Both map (passage, name) to a positive weight and have the same links.
    """

    def __init__(self, passages: Sequence[str], names: Sequence[str], leaving: Weights, entering: Weights) -> None:
        self._passages = {key: at for at, key in enumerate(passages)}
        self._names = {key: at for at, key in enumerate(names)}
        rows = [self._passages[passage] for passage, _ in leaving]
        columns = [self._names[name] for _, name in leaving]

        def matrix(weights: Weights) -> sparse.csr_array:
            values, shape = [weights[link] for link in leaving], (len(passages), len(names))
            return sparse.csr_array((values, (rows, columns)), shape=shape, dtype=np.float64)

        self._to_names = _stochastic(matrix(leaving).T)
        self._to_passages = _stochastic(matrix(entering))

    def rank(self, passages: Mapping[str, float], names: Mapping[str, float], restart: float) -> Ranked:
        """Return the probabilities of a walker that restarts at the given places with probability `restart` a step."""
        total = sum(passages.values()) + sum(names.values())
        if not total:
            return Ranked(dict.fromkeys(self._passages, 0.0), dict.fromkeys(self._names, 0.0))
        from_passages = _spread(passages, self._passages) / total
        from_names = _spread(names, self._names) / total
        at_passages, at_names = from_passages, from_names
        for _ in range(ITERATIONS):
            at_passages, at_names = (
                restart * from_passages + (1 - restart) * (self._to_passages @ at_names),
                restart * from_names + (1 - restart) * (self._to_names @ at_passages),
            )
        return Ranked(
            dict(zip(self._passages, at_passages.tolist(), strict=True)),
            dict(zip(self._names, at_names.tolist(), strict=True)),
        )


def _stochastic(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the matrix with each column divided by its sum."""
    sums = np.asarray(matrix.sum(axis=0)).ravel()
    sums[sums == 0] = 1
    return sparse.csr_array(matrix @ sparse.diags_array(1 / sums))


def _spread(weights: Mapping[str, float], index: Mapping[str, int]) -> Vector:
    vector = np.zeros(len(index))
    for key, weight in weights.items():
        vector[index[key]] = weight
    return vector
