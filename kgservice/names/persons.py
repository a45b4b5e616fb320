"""How a person's name is written: title, first names and initials, surname, generation; which cannot be one person's.

Everything here is a function of the names alone.
"""

from __future__ import annotations

import re

from kgservice.names.spelling import SpelledName, folded

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MALE, _FEMALE = frozenset("mr sir lord king prince".split()), frozenset("mrs ms dame lady queen princess".split())
_OFFICES = frozenset(  # before a surname, and no part of a stage name as "Dr. Dre", "Queen Latifah"
    "admiral bishop captain colonel commander corporal detective general governor inspector judge justice lieutenant "
    "major mayor mr mrs ms officer president private prof professor rabbi rev reverend senator sergeant".split()
)
_TITLES = _MALE | _FEMALE | _OFFICES | {"dr"}
_GENERATION = frozenset("jr sr ii iii iv".split())
PARTICLES = frozenset("da de del della den der di dos du la le ten ter van von zu".split())  # "Van Daele"
RANKS = frozenset(
    "Archduchess Archduke Baron Baroness Baronet Count Countess Duchess Duke Earl Emperor Empress King Lady Landgrave "
    "Lord Margrave Marquess Prince Princess Queen Viscount".split()
)
HONORIFICS = _TITLES - {rank.lower() for rank in RANKS}  # of no peer or sovereign
_GENERATIONS = {"junior": "jr", "senior": "sr"}


def given(of: SpelledName) -> tuple[str, ...]:
    """Return the words of a person's name without title, generation and the initials inside."""
    return _plain(of.words)


def untitled(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a name's words without the titles before them."""
    while len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return words


def is_surname(words: tuple[str, ...]) -> bool:
    """Return whether words are one surname alone, with what may stand before one.

    >>> is_surname(("voss",)), is_surname(("van", "de", "woestijne")), is_surname(("ada", "voss"))
    (True, True, False)
    """
    return len(words) > 0 and PARTICLES.issuperset(words[:-1])


def is_titled_surname(label: str) -> bool:
    """Return whether a name is a title with a surname alone.

    >>> is_titled_surname("Colonel Farr"), is_titled_surname("Mr. Van Daele"), is_titled_surname("Colonel Ada Farr")
    (True, True, False)
    """
    first, *rest = [folded(token) for token in _TOKEN.findall(label)] or [""]
    return first in _OFFICES and is_surname(tuple(rest))


def sex(words: tuple[str, ...]) -> str:
    """Return "he" or "she" if a title before a name says it, else "".

    >>> sex(("mrs", "okafor")), sex(("ada", "okafor"))
    ('she', '')
    """
    first = words[0] if len(words) > 1 else ""
    return "he" if first in _MALE else "she" if first in _FEMALE else ""


def is_part(short: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Return whether a name of two words and more is a longer one with words left out before the last."""
    rest = iter(longer)
    ends = len(short) > 1 and short[-1:] == longer[-1:]
    return ends and all(any(word in (other, other[0]) for other in rest) for word in short)


def is_shorter(short: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Return whether a person's name is a longer one with words left out, but for the first, or as initials.

    >>> is_shorter(("j", "dearle"), ("john", "henry", "dearle")), is_shorter(("jane", "doe"), ("mary", "jane", "doe"))
    (True, False)
    """
    rest = iter(longer)
    begins = len(short) > 1 and short[0] in (longer[0], longer[0][0])
    return begins and all(any(word in (other, other[0]) for other in rest) for word in short)


def has_other_middle(one: str, other: str) -> bool:
    """Return whether the words and initials inside two persons' names say that they are two.

    >>> has_other_middle("George H. W. Okafor", "George W. Okafor")
    True
    >>> has_other_middle("Ada M. Voss", "Ada Marie Lind Voss"), has_other_middle("Ada Lind Voss", "Ada Marie Lind Voss")
    (False, False)
    """
    (first, *middle), (second, *inner) = full(one), full(other)
    middle, inner = sorted((middle[:-1], inner[:-1]), key=len)
    if not middle or not _fits(first, second):
        return False
    if all(map(_fits, middle, inner)):  # the first ones
        return False
    rest = iter(inner)
    return len(middle) == len(inner) or not all(len(word) > 1 and word in rest for word in middle)


def _fits(one: str, other: str) -> bool:
    """Return whether two first names are the same, or one is the other's initial."""
    return one == other or (1 in (len(one), len(other)) and one[0] == other[0])


def full(label: str) -> tuple[str, ...]:
    """Return all words of a person's name, initials too, without title and generation."""
    return _plain(tuple(map(folded, _TOKEN.findall(label))))


def generation(label: str) -> str:
    """Return "jr", "sr" or the numeral that ends a person's name, else "".

    >>> generation("Karl Voss, Junior"), generation("Karl Voss II"), generation("Karl Voss")
    ('jr', 'ii', '')
    """
    last = [folded(token) for token in _TOKEN.findall(label)][-1]
    last = _GENERATIONS.get(last, last)
    return last if last in _GENERATION else ""


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    words = untitled(words)
    while len(words) > 1 and words[-1] in _GENERATION:
        words = words[:-1]
    return words
