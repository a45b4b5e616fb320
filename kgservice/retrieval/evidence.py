"""What speaks for each candidate passage of a question, and how far each kind of evidence is trusted for it.

A passage's score is the sum of its signals, each by a weight that two things known of the query decide: `paged`, how
much of its names have a passage of their own, and `named`, how much of its words are names. A question about names that
have their pages follows the walk; news, whose long questions name little, follows words and vectors. ranking.json holds
the weights, none below 0, and what they were fitted on (benchmarks/retrieval_fit.py). Cosines count as distances from
the mean of the candidates, in their standard deviations, so that the weights hold for any encoder.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kgservice.core.records import Record
from kgservice.retrieval.bm25 import words
from kgservice.retrieval.walk.query_names import QueryName

SIGNALS = ("walk", "cosine", "words", "gain", "bridge", "page")
GATES = ("paged", "unpaged", "named", "unnamed")
LOWEST = 9.0  # orders of e below the best passage's walk that are told apart

Matrix: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
_ASKING = frozenset("who what which when where how did does do that from has had have he his her its".split())


class Ranking(Record):
    """Fitted weights: of each signal four, one a gate, and how they were fitted."""

    how: str
    weights: dict[str, tuple[float, float, float, float]]


class Trust(NamedTuple):
    """How much of the query's names has a passage of its own, and how much of its words are names: from 0 to 1."""

    paged: float
    named: float

    @property
    def gates(self) -> tuple[float, float, float, float]:
        """The shares in the order of GATES."""
        return self.paged, 1 - self.paged, self.named, 1 - self.named


class PassageSignals(NamedTuple):
    """Candidates (keys of chunks) with a row of SIGNALS each, and how far to trust them."""

    chunks: tuple[str, ...]
    signals: Matrix
    trust: Trust

    def scores(self, ranking: Ranking) -> dict[str, float]:
        """Return the score of each candidate; more of a signal never lowers it."""
        weights = np.array([ranking.weights[name] for name in SIGNALS]) @ np.array(self.trust.gates)
        return dict(zip(self.chunks, (self.signals @ weights).tolist(), strict=True))


@cache
def packaged() -> Ranking:
    """Return the weights that ship."""
    return Ranking(**json.loads(files("kgservice.retrieval").joinpath("ranking.json").read_text(encoding="utf-8")))


def signals(walked: Matrix, cosines: Matrix, found: Matrix, bridged: Matrix, pages: Matrix) -> Matrix:
    """Return the signals of n candidates, (n, 6), from their scores of the walk and of BM25 and their cosines.

    `bridged` is the best cosine with what is asked of a bridge in the passage (0: there is none), `pages` whether it is
    the bridge's own passage.
    """
    top = walked.max(initial=0.0)
    walk = np.maximum(np.log(np.maximum(walked, 1e-9 * top) / top), -LOWEST) if top else np.zeros(len(walked))
    mean, spread = (cosines.mean(), cosines.std() + 1e-6) if len(cosines) else (0.0, 1.0)
    share = found / (found.max(initial=0.0) or 1.0)
    crossed = bridged > 0
    gain = np.where(crossed, np.maximum(bridged - cosines, 0) / spread, 0.0)
    bridge = np.where(crossed, np.maximum(bridged - mean, 0) / spread, 0.0)
    return np.stack([walk, (cosines - mean) / spread, share, gain, bridge, pages], axis=1)


def trust(query: str, names: Sequence[QueryName], own: Collection[str]) -> Trust:
    """Return how far names are to be trusted for a query; `own` are the forms that candidates have as their titles."""
    rare: Mapping[str, float] = {name.form: name.sure / math.log(2 + name.passages) for name in names}
    total = sum(rare.values())
    telling = [word for word in words(query) if word not in _ASKING]
    inside = {word for name in names for word in words(name.label)}
    share = sum(word in inside for word in telling) / max(1, len(telling))
    paged = sum(weight for name, weight in rare.items() if name in own) / total if total else 0.0
    return Trust(paged, min(1.0, 2 * share))
