"""Which property a relation's words mean, or none: by label, alias, spelling and vector, as for names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz

from kgservice.linking.candidate_score import score, weights
from kgservice.linking.candidates import Candidates
from kgservice.linking.wikidata_index import MAX_NAME, IndexedItem, Wikidata, folded

KEPT = 20_000  # relations whose properties are kept
NEAR = 8  # properties that are compared in full
_OPENING = re.compile(r"^(?:(?:is|was|are|were|be|been|being|has|have|had|the|an?) )+")


class Meant(NamedTuple):
    """A property with the probability that it is meant."""

    property: IndexedItem
    probability: float


class Properties:
    """The properties of an index, in memory: there are some thousands at most."""

    def __init__(self, index: Wikidata, candidates: Candidates) -> None:
        self._index, self._candidates = index, candidates
        self._meant = lru_cache(maxsize=KEPT)(self._likeliest)

    def learn(self, relations: Iterable[str]) -> None:
        """Embed relations that will be asked for, many at a time."""
        if self._index.properties:
            self._candidates.learn(_core(relation) for relation in relations)

    def of(self, relation: str) -> Meant | None:
        """Return the likeliest property of a relation's words; None where the index has none."""
        return self._meant(relation)

    def _likeliest(self, relation: str) -> Meant | None:
        fitted = weights().relation
        scored = [Meant(one, round(score(features, fitted), 4)) for features, one in self.compared(relation)]
        return max(scored, key=lambda one: (one.probability, one.property.number), default=None)

    def compared(self, relation: str) -> list[tuple[dict[str, float], IndexedItem]]:
        """Return the properties that are nearest to a relation's words, each with how near in what way."""
        wanted = _core(relation)
        if not self._index.properties or not wanted or len(relation) > MAX_NAME:
            return []
        told = self._candidates.vector(wanted)
        cosines, described = np.round(self._candidates.properties @ told, 3)
        near = {int(at) for at in np.argsort(-cosines, kind="stable")[:NEAR]}
        near.update(int(at) for at in np.argsort(-described, kind="stable")[:NEAR])
        near.update(at for at, names in enumerate(self._forms) if wanted in names)
        return [
            (_features(wanted, self._forms[at], float(cosines[at]), float(described[at])), self._index.properties[at])
            for at in sorted(near)
        ]

    @cached_property
    def _forms(self) -> list[tuple[str, ...]]:
        return [tuple(_core(name) for name in (one.label, *one.aliases)) for one in self._index.properties]


@lru_cache(maxsize=65536)
def _core(relation: str) -> str:
    """A relation without the words that begin most of them: "was born in" is "born in"."""
    whole = folded(relation.replace("_", " "))
    return _OPENING.sub("", whole) or whole


def _features(wanted: str, names: tuple[str, ...], label: float, described: float) -> dict[str, float]:
    likeness = max(fuzz.token_set_ratio(wanted, name) for name in names) / 100
    return {"same": float(wanted in names), "like": likeness, "label": label, "described": described}
