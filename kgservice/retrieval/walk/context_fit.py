"""How well the words around a name fit a question: "directed by" fits "Who was the director of …?"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

BEFORE, AFTER = 6, 3  # words of context; what a name is in its sentence is mostly said before it
REACH = 90, 60  # characters in which they are looked for
LATER = 0.5  # what a word after the name counts; before it 1 / (1 + DECAY × words between)
DECAY = 0.2

_WORD = re.compile(r"[^\W\d_]+")
_PLAIN = frozenset(  # words that say nothing about what is asked
    "who whom whose what which where when why how did does do was is are were the a an of in on at to for by from "
    "and or with that this film films movie be has have had its his her their as same both not no if into it such "
    "then there these they will but".split()
)


def sought_names(query: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a query that tell what it asks: neither plain words nor those of the names in it."""
    named = {word for name in names for word in _WORD.findall(name.lower())}
    return tuple(word for word in dict.fromkeys(_WORD.findall(query.lower())) if word not in _PLAIN | named)


def around(text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """Return the words before a place, the nearest first, and those after it, in lower case."""
    before = _WORD.findall(text[max(0, start - REACH[0]) : start].lower())[-BEFORE:]
    return before[::-1], _WORD.findall(text[end : end + REACH[1]].lower())[:AFTER]


def fit(words: Sequence[str], before: Sequence[str], after: Sequence[str]) -> float:
    """Return how many of the asked words stand around a name, the nearer the more; 0 for none."""
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
    """True for forms of one word as far as the beginning shows: "director" and "directed", not "born" and "bore"."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    longest = max(len(word), len(other))
    return word == other or shared >= max(4, longest - 4, longest / 2)
