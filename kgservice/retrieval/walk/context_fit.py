"""The fit of the words around a name to a question: "directed by" fits "Who was the director of …?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

BEFORE, AFTER = 6, 3  # words of context; a name's role is mostly given before it
REACH = 90, 60  # characters before and after a name that are searched
LATER = 0.5  # weight of a word after the name; before it 1 / (1 + DECAY × words between)
DECAY = 0.2

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


def fit(words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> float:
    """Return the sum of the weights of the words that occur around a name, higher if nearer, 0 for none."""
    total = 0.0
    for word in words:
        at = next((at for at, other in enumerate(before) if similar_words(word, other)), None)
        if at is not None:
            total += 1 / (1 + DECAY * at)
        elif any(similar_words(word, other) for other in after):
            total += LATER
    return total


@lru_cache(maxsize=65536)
def similar_words(word: str, other: str) -> bool:
    """Return whether two words begin alike: "director" and "directed", not "born" and "bore"."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    longest = max(len(word), len(other))
    return word == other or shared >= max(4, longest - 4, longest / 2)
