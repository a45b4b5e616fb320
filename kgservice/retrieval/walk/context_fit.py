"""The fit of the words around a name to a question: "directed by" fits "Who was the director of …?"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

BEFORE, AFTER = 6, 3  # words of context; a name's role is mostly given before it
REACH = 90, 60  # characters before and after a name that are searched
LATER = 0.5  # weight of a word after the name; before it 1 / (1 + DECAY × words between)
DECAY = 0.2
SAME = 4  # letters, at least, with which similar words begin

_WORD = re.compile(r"[^\W\d_]+")
_PLAIN = frozenset(  # words without content for the fit
    "who whom whose what which where when why how did does do was is are were the a an of in on at to for by from "
    "and or with that this film films movie be has have had its his her their as same both not no if into it such "
    "then there these they will but".split()
)


def sought_names(query: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the content words of a query: neither plain words nor words of the names in it."""
    excluded = {word for name in names for word in _WORD.findall(name.lower())}
    return tuple(word for word in dict.fromkeys(_WORD.findall(query.lower())) if word not in _PLAIN | excluded)


def around(text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """Return the words before a place, the nearest first, and those after it, all in lower case."""
    before = _WORD.findall(text[max(0, start - REACH[0]) : start].lower())[-BEFORE:]
    return before[::-1], _WORD.findall(text[end : end + REACH[1]].lower())[:AFTER]


class ContextFit:
    """The fit of contexts to the content words of one question. Each word of a context is compared once."""

    def __init__(self, sought: Sequence[str]) -> None:
        self.sought = sought
        self._starts: dict[str, list[str]] = {}  # similar words begin with the same four letters, or are the same
        for word in sought:
            self._starts.setdefault(word[:SAME], []).append(word)
        self._similar: dict[str, tuple[str, ...]] = {}
        self._relations: dict[str, float] = {}

    def fit(self, before: Sequence[str], after: Sequence[str]) -> float:
        """Return the sum of the weights of the sought words around a name, higher if nearer, 0 for none."""
        weights: dict[str, float] = {}
        for at, word in enumerate(before):
            for sought in self.similar(word):
                weights.setdefault(sought, 1 / (1 + DECAY * at))
        for word in after:
            for sought in self.similar(word):
                weights.setdefault(sought, LATER)
        return sum(weights.values())

    def of(self, relation: str) -> float:
        """Return the fit of the words of a relation."""
        if relation not in self._relations:
            self._relations[relation] = self.fit(relation.split(), ())
        return self._relations[relation]

    def near(self, text: str, start: int, end: int, found: Sequence[int]) -> float:
        """Return the fit of the words around a place in a text. `found`: the places of its words that `similar` knows.

        Most names of a passage have none of these near them, so their words are not cut out.
        """
        at = bisect_left(found, start - REACH[0])
        return self.fit(*around(text, start, end)) if at < len(found) and found[at] < end + REACH[1] else 0.0

    def places(self, text: str) -> list[int]:
        """Return where words of a text begin that are similar to sought ones, in order."""
        small, found = text.lower(), []
        for start in self._starts:
            at = small.find(start)
            while at >= 0:
                word = _WORD.match(small, at)
                if word and not (at and _WORD.match(small, at - 1)) and self.similar(word[0]):
                    found.append(at)
                at = small.find(start, at + 1)
        return sorted(found)

    def similar(self, word: str) -> tuple[str, ...]:
        """Return the sought words that begin like a word."""
        if word not in self._similar:
            self._similar[word] = tuple(
                sought for sought in self._starts.get(word[:SAME], ()) if similar_words(sought, word)
            )
        return self._similar[word]


def similar_words(word: str, other: str) -> bool:
    """Return whether two words begin alike: "director" and "directed", not "born" and "bore"."""
    longest = max(len(word), len(other))
    shared = max(SAME, longest - 4, (longest + 1) // 2)
    return word == other or (min(len(word), len(other)) >= shared and word[:shared] == other[:shared])
