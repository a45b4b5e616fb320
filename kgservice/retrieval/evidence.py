"""The signals of each candidate passage of a question, and the weight of each signal for that question.

A passage's score is a weighted sum of its signals. The weights depend on two properties of the query: `paged`, the
share of its names that have a passage of their own, and `named`, the share of its words that belong to names. A
question about names with pages relies on the walk. News questions, which are long and name little, rely on words and
vectors. ranking.json holds the weights, none below 0, and the data they were fitted on (benchmarks/retrieval_fit.py).
Cosines are standardised over the candidates (mean 0, standard deviation 1), so that the weights hold for any encoder.
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
LOWEST = 9.0  # lowest value of the walk signal: ln(walk / best walk)
LISTED = 20  # best passages by words and by vectors; a BM25 score counts by how far it is above the last of them

Matrix: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
_ASKING = frozenset("who what which when where how did does do that from has had have he his her its".split())


class Ranking(Record):
    """Fitted weights: four a signal, one a gate, and how they were fitted."""

    how: str
    weights: dict[str, tuple[float, float, float, float]]


class Trust(NamedTuple):
    """The share of the query's names with a passage of their own, and the share of its words in names, from 0 to 1."""

    paged: float
    named: float

    @property
    def gates(self) -> tuple[float, float, float, float]:
        """Return the shares in the order of GATES."""
        return self.paged, 1 - self.paged, self.named, 1 - self.named


class PassageSignals(NamedTuple):
    """Keys of candidate chunks, one row of SIGNALS each, and the trust in the query's names."""

    chunks: tuple[str, ...]
    signals: Matrix
    trust: Trust

    def scores(self, ranking: Ranking) -> dict[str, float]:
        """Return the score of each candidate by key. A higher signal never lowers it."""
        weights = np.array([ranking.weights[name] for name in SIGNALS]) @ np.array(self.trust.gates)
        return dict(zip(self.chunks, (self.signals @ weights).tolist(), strict=True))


@cache
def packaged() -> Ranking:
    """Return the packaged weights (ranking.json)."""
    return Ranking(**json.loads(files("kgservice.retrieval").joinpath("ranking.json").read_text(encoding="utf-8")))


def signals(walked: Matrix, cosines: Matrix, by_words: Matrix, bridged: Matrix, pages: Matrix) -> Matrix:
    """Return the signals of n candidates, an array of shape (n, 6).

    Walk scores, cosines and BM25 scores have shape (n,). `bridged` is the best cosine with the question about a bridge
    in the passage, 0 if it has none. `pages` is how far the passage is the bridge's own page, from 0 to 1. Words tell
    little where the 20th passage has nearly as many as the first: only what a passage has more than the 20th counts.
    """
    top = walked.max(initial=0.0)
    walk = np.maximum(np.log(np.maximum(walked, 1e-9 * top) / top), -LOWEST) if top else np.zeros(len(walked))
    mean, spread = (cosines.mean(), cosines.std() + 1e-6) if len(cosines) else (0.0, 1.0)
    last = np.sort(by_words)[-LISTED] if len(by_words) >= LISTED else 0.0
    share = np.maximum(by_words - last, 0.0) / (by_words.max(initial=0.0) or 1.0)
    crossed = bridged > 0
    gain = np.where(crossed, np.maximum(bridged - cosines, 0) / spread, 0.0)
    bridge = np.where(crossed, np.maximum(bridged - mean, 0) / spread, 0.0)
    return np.stack([walk, (cosines - mean) / spread, share, gain, bridge, pages], axis=1)


def trust(query: str, names: Sequence[QueryName], own: Collection[str]) -> Trust:
    """Return how far to trust the names of a query. `own` are the keys of name forms that are titles of candidates."""
    rare: Mapping[str, float] = {name.form: name.sure / math.log(2 + name.passages) for name in names}
    total = sum(rare.values())
    content = [word for word in words(query) if word not in _ASKING]
    inside = {word for name in names for word in words(name.label)}
    share = sum(word in inside for word in content) / max(1, len(content))
    paged = sum(weight for name, weight in rare.items() if name in own) / total if total else 0.0
    return Trust(paged, min(1.0, 2 * share))
