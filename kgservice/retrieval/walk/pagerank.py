"""Personalised PageRank between passages and the names that they mention (HippoRAG's walk, on a neighbourhood)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

ITERATIONS = 20  # enough for the order of the best at any useful restart

WalkLink: TypeAlias = tuple[str, str, float, float]
"""A passage, a name that it mentions, and the positive weights of the ways leaving the passage and entering it."""
Vector: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


class Ranked(NamedTuple):
    """Scores of passages and of names. They sum to 1, minus the loss at passages without names."""

    passages: dict[str, float]
    names: dict[str, float]


class Walk:
    """A walk over links between passages and names, each link once."""

    def __init__(self, passages: Sequence[str], names: Sequence[str], links: Sequence[WalkLink]) -> None:
        self._passages = {key: at for at, key in enumerate(passages)}
        self._names = {key: at for at, key in enumerate(names)}
        from_passages, to_names, leaving, entering = zip(*links, strict=True) if links else ((), (), (), ())
        self._at_passage = np.array([self._passages[key] for key in from_passages], dtype=np.intp)
        self._at_name = np.array([self._names[key] for key in to_names], dtype=np.intp)
        self._leaving = _shares(self._at_passage, leaving, len(passages))
        self._entering = _shares(self._at_name, entering, len(names))

    def rank(self, passages: Mapping[str, float], names: Mapping[str, float], restart: float) -> Ranked:
        """Return the probabilities of a walker that restarts at the given places with probability `restart` a step."""
        total = sum(passages.values()) + sum(names.values())
        if not total:
            return Ranked(dict.fromkeys(self._passages, 0.0), dict.fromkeys(self._names, 0.0))
        from_passages = _spread(passages, self._passages) / total
        from_names = _spread(names, self._names) / total
        at_passages, at_names = from_passages, from_names
        for _ in range(ITERATIONS):
            entered = _sums(self._at_passage, self._entering * at_names[self._at_name], len(at_passages))
            left = _sums(self._at_name, self._leaving * at_passages[self._at_passage], len(at_names))
            at_passages = restart * from_passages + (1 - restart) * entered
            at_names = restart * from_names + (1 - restart) * left
        return Ranked(
            dict(zip(self._passages, at_passages.tolist(), strict=True)),
            dict(zip(self._names, at_names.tolist(), strict=True)),
        )


def _shares(at: np.ndarray[Any, np.dtype[np.intp]], weights: Sequence[float], size: int) -> Vector:
    """Return each weight over the sum of all weights at its place."""
    own = np.array(weights, dtype=np.float64)
    shares: Vector = own / _sums(at, own, size)[at]
    return shares


def _sums(at: np.ndarray[Any, np.dtype[np.intp]], weights: Vector, size: int) -> Vector:
    """Return the sum of the weights at each of `size` places."""
    return np.bincount(at, weights, size).astype(np.float64)


def _spread(weights: Mapping[str, float], index: Mapping[str, int]) -> Vector:
    vector = np.zeros(len(index))
    for key, weight in weights.items():
        vector[index[key]] = weight
    return vector
