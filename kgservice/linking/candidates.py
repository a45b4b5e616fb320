"""Candidates: items that a name may mean, by exact form, alias, initials, similar spelling, and vectors.

DRAGON (section 4.1) queries Wikidata's API and keeps the five most similar by vector. Here the local index is queried
in four ways, and a fitted score keeps the five (candidate_score.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kgservice.linking.item_vectors import Vector, Vectors, property_texts
from kgservice.linking.wikidata_index import (
    ALIAS,
    INITIALS,
    LABEL,
    MAX_NAME,
    IndexedItem,
    NameMatch,
    Wikidata,
    folded,
    likeness,
)
from kgservice.vectors.embedder import Embedder

EXACT, NEAR = 20, 10  # most candidates by exact form; by spelling and by vector each
UNREAD = 0.8  # cosine assumed for an exact form in another script, which the English model cannot read
KEPT = 50_000  # texts with vectors in memory, 75 MB
NAMES = 20_000  # names with candidates in memory
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


class ItemCandidate(NamedTuple):
    """An item that a name may mean.

    `how` is LABEL, ALIAS or INITIALS for an exact form, None for another spelling. `cosine` compares the name with the
    item's label. `behind` is the distance in prominence to the best namesake.
    """

    item: IndexedItem
    how: int | None
    likeness: float
    cosine: float
    behind: float
    namesakes: int


class Candidates:
    """The lookup of names in an index. The candidates of a name do not depend on other lookups."""

    def __init__(self, index: Wikidata, embedder: Embedder) -> None:
        self._index, self._embedder, self._vectors = index, embedder, Vectors(index.path)
        self._searched = self._vectors.exist(index.fingerprint, embedder.name)
        self._embedded: dict[str, Vector] = {}
        self._found: dict[tuple[str, bool], list[ItemCandidate]] = {}

    @property
    def by(self) -> str:
        """Return the name of the embedding model, and whether the index lacks vectors of labels.

        Without them fewer candidates are found.
        """
        return f"{self._embedder.name}{'' if self._searched else ' without labels'}"

    def learn(self, texts: Iterable[str]) -> None:
        """Embed texts in one batch for later use.

        It is faster than one by one, with the same vectors to the last bit.
        """
        fresh = sorted(set(texts).difference(self._embedded))
        if len(self._embedded) + len(fresh) > KEPT:
            self._embedded.clear()
        for text, vector in zip(fresh, self._embedder.embed(fresh), strict=True):
            self._embedded[text] = np.array(vector, dtype=np.float32)

    def vector(self, text: str) -> Vector:
        """Return the vector of a text."""
        if text not in self._embedded:
            self.learn([text])
        return self._embedded[text]

    def of(self, name: str, *, wide: bool = True) -> list[ItemCandidate]:
        """Return the candidates of a name, exact ones first. Other spellings and vectors are tried only if `wide`."""
        if (name, wide) not in self._found:
            self.look_up([(name, wide)])
        return self._found[name, wide]

    def look_up(self, names: Iterable[tuple[str, bool]]) -> None:
        """Find the candidates of names in one batch for later use, each with whether `wide`."""
        fresh = sorted(set(names).difference(self._found))
        if len(self._found) + len(fresh) > NAMES:
            self._found.clear()
        exact = {name: self._named(name) for name, _ in fresh}
        far = sorted({name for name, wide in fresh if wide and len(name) <= MAX_NAME and self._searched})
        self.learn({*far, *(name for name, wide in fresh if wide or exact[name])})
        by_vector = self._vectors.nearest([self.vector(name) for name in far], NEAR) if far else []
        nearest = dict(zip(far, by_vector, strict=True))
        for name, wide in fresh:
            self._found[name, wide] = self._looked_up(name, exact[name], nearest.get(name, ()) if wide else None)

    def _looked_up(self, name: str, exact: Sequence[NameMatch], nearest: Sequence[int] | None) -> list[ItemCandidate]:
        wanted = folded(name)
        if not wanted or len(name) > MAX_NAME:
            return []
        near = [] if nearest is None else self._index.similar(wanted, NEAR)
        best: dict[int, NameMatch] = {}
        for match in (*exact, *near):
            best.setdefault(match.item, match)
        for number in nearest or ():
            best.setdefault(number, NameMatch(number, "", ALIAS, 0.0))
        candidates = self._known(name, wanted, best) if best else []
        # an item that a text only mentions has a capital: "District" in a line's name is not the word
        return [match for match in candidates if nearest is not None or not match.item.label.islower()]

    def _named(self, name: str) -> list[NameMatch]:
        """Return the items with exactly this name, by initials only if the name can be initials."""
        wanted = folded(name) if len(name) <= MAX_NAME else ""
        return [match for match in self._index.named(wanted) if match.how != INITIALS or _short(name)][:EXACT]

    @cached_property
    def properties(self) -> Vector:
        """Return two vectors a property of the index: of its label, and of the label with the description."""
        if self._searched:
            return self._vectors.properties
        texts = property_texts(self._index.properties)
        self.learn(text for side in texts for text in side)
        return np.array([[self.vector(text) for text in side] for side in texts], dtype=np.float32)

    def exact(self, name: str) -> Sequence[int]:
        """Return the three most prominent items of a name, as context of the names beside it."""
        return [match.item for match in self._index.named(folded(name))[:3]] if len(name) <= MAX_NAME else []

    def _known(self, name: str, wanted: str, best: dict[int, NameMatch]) -> list[ItemCandidate]:
        items = self._index.items(best)
        items = {number: item for number, item in items.items() if item.label}
        same = [number for number in items if best[number].likeness == 100.0 and best[number].form == wanted]
        most = max((_fame(items[number]) for number in same), default=0.0)
        vector = self.vector(name)
        candidates = []
        for number, item in items.items():
            how = best[number].how if number in same else None
            alike = 100.0 if number in same else best[number].likeness or likeness(wanted, folded(item.label))
            unread = number in same and not (_LATIN.search(name) and _LATIN.search(item.label))
            cosine = UNREAD if unread else round(float(vector @ self._label(item)), 3)
            candidates.append(ItemCandidate(item, how, alike, cosine, most - _fame(item), len(same)))
        order = {LABEL: 0, ALIAS: 1, INITIALS: 2, None: 3}
        return sorted(
            candidates,
            key=lambda candidate: (
                order[candidate.how],
                -candidate.likeness,
                -candidate.item.prominence,
                candidate.item.number,
            ),
        )

    def _label(self, item: IndexedItem) -> Vector:
        stored = self._vectors.of(item.number) if self._searched else None
        return self.vector(item.label) if stored is None else stored


def _fame(item: IndexedItem) -> float:
    return math.log1p(item.prominence)


def _short(name: str) -> bool:
    """Return whether a name can be initials: "OSCE", "M.I.T."."""
    return name.replace(".", "").isupper() and 2 <= len(name.replace(".", "")) <= 6
