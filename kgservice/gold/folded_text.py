"""A text as its letters and digits alone, so that quotes are found again whatever became of blanks, marks and case.

Line breaks, hyphens at their ends, Markdown, the bars of a table and accents are no letters: two programs that cut and
clean one document in their own ways still share these.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TypeAlias

RUN = 24  # letters that two texts must share in a row to be one text there; fewer only where one of them is shorter
MOST = 50  # places of one run that are looked at: of a row of zeros there are thousands
ENOUGH = 0.5  # of a quote must stand in a document, else it is a quote of another one

Span: TypeAlias = tuple[int, int]


class FoldedText:
    """A document's text, in which quotes are looked up."""

    def __init__(self, text: str) -> None:
        signs = [(sign, at) for at, written in enumerate(text) for sign in _letters(written)]
        self._signs = "".join(sign for sign, _ in signs)
        self._at = [at for _, at in signs]

    def located(self, quote: str, title: str = "") -> list[Span]:
        """Return the spans of the document (characters) that the quote holds; none where most of it is not here.

        A quote may be cut anywhere, and begin with the document's title; what stands here more than once is found at
        every place.
        """
        signs, lead = folded(quote), folded(title)
        led = bool(lead) and signs.startswith(lead) and len(signs) > len(lead)
        return self._located(signs) or (self._located(signs[len(lead) :]) if led else [])

    def _located(self, signs: str) -> list[Span]:
        if len(signs) < RUN or len(self._signs) < RUN:
            return self._whole(signs)
        found, shared, done = list[Span](), 0, 0
        for at in (*range(0, len(signs) - RUN, RUN), len(signs) - RUN):
            if at >= done and (longest := self._longest(signs, at, done)):
                start, end, places = longest
                found += [self._span(place, place + end - start) for place in places]
                shared, done = shared + end - start, end
        return found if shared >= ENOUGH * len(signs) else []

    def _whole(self, signs: str) -> list[Span]:
        """Find a short quote as it is, and a short document within a quote."""
        if len(self._signs) < len(signs):
            inside = bool(self._signs) and self._signs in signs and len(self._signs) >= ENOUGH * len(signs)
            return [self._span(0, len(self._signs))] if inside else []
        return [self._span(at, at + len(signs)) for at in _places(self._signs, signs)]

    def _longest(self, signs: str, at: int, done: int) -> tuple[int, int, list[int]] | None:
        """Return the longest run around signs[at : at + RUN], of the quote after `done`, and where it is here."""
        best, places = (at, at), list[int]()
        for place in _places(self._signs, signs[at : at + RUN]):
            before = _alike(signs[done:at][::-1], self._signs[max(0, place - (at - done)) : place][::-1])
            after = _alike(signs[at + RUN :], self._signs[place + RUN : place + len(signs) - at])
            run = at - before, at + RUN + after
            if run[1] - run[0] > best[1] - best[0]:
                best, places = run, []
            if run == best:
                places.append(place - before)
        return (*best, places) if places else None

    def _span(self, start: int, end: int) -> Span:
        return self._at[start], self._at[end - 1] + 1


def folded(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return "".join(map(_letters, text))


@lru_cache(maxsize=4096)
def _letters(written: str) -> str:
    plain = unicodedata.normalize("NFKD", written).casefold()
    return "".join(sign for sign in plain if sign.isalnum())


def _places(text: str, wanted: str) -> list[int]:
    found, at = list[int](), text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < MOST:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _alike(one: str, two: str) -> int:
    """Return how many signs two texts begin with alike."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == two[low:middle] else (low, middle - 1)
    return low
