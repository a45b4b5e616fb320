"""The property of a relation's words, or none: by label, alias, spelling and vector, as for names."""

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

KEPT = 20_000  # relations with properties in memory
NEAR = 8  # properties that are compared in full
_OPENING = re.compile(r"^(?:(?:is|was|are|were|be|been|being|has|have|had|the|an?) )+")


class Meant(NamedTuple):
    """A property with its probability."""

    property: IndexedItem
    probability: float


class Properties:
    """The properties of an index in memory, some thousands at most."""

    def __init__(self, index: Wikidata, candidates: Candidates) -> None:
        self._index, self._candidates = index, candidates
        self._meant = lru_cache(maxsize=KEPT)(self._likeliest)

    def learn(self, relations: Iterable[str]) -> None:
        """Embed relations in one batch for later use."""
        if self._index.properties:
            self._candidates.learn(_core(relation) for relation in relations)

    def of(self, relation: str) -> Meant | None:
        """Return the most probable property of a relation's words, or None if none is near."""
        return self._meant(relation)

    def _likeliest(self, relation: str) -> Meant | None:
        fitted = weights().relation
        scored = [Meant(prop, round(score(features, fitted), 4)) for features, prop in self.compared(relation)]
        return max(scored, key=lambda prop: (prop.probability, prop.property.number), default=None)

    def compared(self, relation: str) -> list[tuple[dict[str, float], IndexedItem]]:
        """Return the properties nearest to a relation's words, each with its features."""
        wanted = _core(relation)
        if not self._index.properties or not wanted or len(relation) > MAX_NAME:
            return []
        vector = self._candidates.vector(wanted)
        cosines, described = np.round(self._candidates.properties @ vector, 3)
        near = {int(at) for at in np.argsort(-cosines, kind="stable")[:NEAR]}
        near.update(int(at) for at in np.argsort(-described, kind="stable")[:NEAR])
        near.update(at for at, names in enumerate(self._forms) if wanted in names)
        return [
            (_features(wanted, self._forms[at], float(cosines[at]), float(described[at])), self._index.properties[at])
            for at in sorted(near)
        ]

    @cached_property
    def _forms(self) -> list[tuple[str, ...]]:
        return [tuple(_core(name) for name in (prop.label, *prop.aliases)) for prop in self._index.properties]


@lru_cache(maxsize=65536)
def _core(relation: str) -> str:
    """Return a relation without a common opening: "was born in" gives "born in"."""
    whole = folded(relation.replace("_", " "))
    return _OPENING.sub("", whole) or whole


def _features(wanted: str, names: tuple[str, ...], label: float, described: float) -> dict[str, float]:
    likeness = max(fuzz.token_set_ratio(wanted, name) for name in names) / 100
    return {"same": float(wanted in names), "like": likeness, "label": label, "described": described}
