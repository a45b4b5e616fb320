"""How a name is spelt: what makes two names candidates for one thing, what forbids it, and which of them stays.

Everything here is a function of the two names alone, so a decision does not depend on when a name came.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from rapidfuzz import fuzz

from kgservice.names.mentions import BRACKET, MAX_LABEL, is_common

Way: TypeAlias = Literal["exact", "lexical", "form", "longer", "acronym"]
SHORT = 4  # letters from which on capitals tell no names apart: "NIKE" is Nike, and "IT" is not it
MIN_LETTERS = 8  # of a name that may be misspelt: shorter ones have too many neighbours

_TOKEN = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*\.?")
_PLACES = re.compile(r"[^,()]{2,}(?:, [^,()]+){1,2}")
_LEGAL = re.compile(
    r"(?P<name>.{2,}?),? (?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|plc|gmbh|ag|s\.a|nv|llp)\.?",
    re.IGNORECASE,
)
ARTICLES = frozenset("the a an".split())
_CARDINAL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_NUMBERS = {word: str(at) for words in (_CARDINAL, _ORDINALS) for at, word in enumerate(words.split())}
_ROMAN = re.compile(r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_EVERYWHERE = frozenset(
    """
    academy amendment army arrondissement assembly bank branch bridge bureau castle cathedral center centre church
    clock college commission committee convention council court department district family garden gardens general
    government hall hospital house institute league library minister ministry museum navy office palace park party
    patrol president school secretary senate society square station street theater theatre tower university
    """.split()
)
_RANK = re.compile(r"jr|junior|sr|senior")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\Z")
_VOWELS = re.compile(r"[aeiouyäöüæøåœ]")
_TWICE = re.compile(r"(.)\1+")


class SpelledName(NamedTuple):
    """A name taken apart: words folded to lower case without marks; `numbers` are its digits, numerals and ranks.

    `joined` are its letters in one; `cores` those of the name without its places (the last one first) or its legal
    form, `firm` those without its legal form alone and `bare` without its bracket, `acronym` the letters that it is
    short for ("" where there are none); `initials` the single letters with a dot inside.
    """

    label: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    initials: tuple[str, ...]
    joined: str
    cores: tuple[str, ...]
    firm: str
    bare: str
    acronym: str


@lru_cache(maxsize=65536)
def name(label: str) -> SpelledName:
    """Take a name apart.

    >>> name("The St. Louis Blues").words, name("Acme Corp.").cores, name("Kim Jong-il").joined
    (('st', 'louis', 'blues'), ('acme',), 'kimjongil')
    """
    tokens = _TOKEN.findall(label.replace("&", " and "))
    inner = [token for token in tokens[1:-1] if len(token) == 2 and token[0].isupper() and token[1] == "."]
    kept = [token for at, token in enumerate(tokens) if not (0 < at < len(tokens) - 1 and token in inner)]
    found = _LEGAL.fullmatch(label)
    words = tuple(folded(token) for token in kept if folded(token) not in ARTICLES or len(kept) == 1)
    parts = re.findall(r"[^\W_]+", label)
    capitals = [part[0] for at, part in enumerate(parts) if part[0].isupper() and (at or part.lower() not in ARTICLES)]
    return SpelledName(
        label=label,
        words=words,
        numbers=tuple(sorted(filter(None, map(_number, tokens)))),
        initials=tuple(token[0].lower() for token in inner),
        joined="".join(words),
        cores=tuple(filter(None, ("".join(name(core).words) for core in _cores(label)))),
        firm="".join(name(found["name"]).words) if found else "",
        bare="".join(name(plain).words) if (plain := BRACKET.sub("", label)) != label else "",
        acronym=folded("".join(capitals)) if 2 <= len(capitals) <= 6 and len(capitals) < len(label) / 3 else "",
    )


def folded(word: str) -> str:
    """Return a word in lower case without marks, dots and genitive.

    >>> folded("Schönefeld’s"), folded("U.S.")
    ('schonefeld', 'us')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return (
        unicodedata.normalize("NFC", plain)
        .casefold()
        .replace("’", "'")
        .removesuffix("'s")
        .replace(".", "")
        .replace("'", "")
    )


def blocks(of: SpelledName) -> frozenset[str]:
    """Return what a name shares with each name that may be the same; too long a name and one without letters: nothing.

    "=" are its letters, with and without its place or legal form; "~" its consonants; "<" what it abbreviates and ">"
    what it may be abbreviated to: a name in "<us" is a candidate of those in ">us" alone.
    """
    if len(of.label) > MAX_LABEL or not of.joined:
        return frozenset()
    found = {"=" + of.joined}
    found.update("=" + core for core in (*of.cores, of.bare) if core)
    if len(of.joined) >= MIN_LETTERS and not of.numbers:
        found.add("~" + skeleton(of))
    if is_short(of.label):
        found.add("<" + of.joined)
    elif of.acronym:
        found.add(">" + of.acronym)
    return frozenset(found)


def partners(block: str) -> str:
    """Return the block in which the candidates of a block's names are: abbreviations meet what they stand for."""
    return {"<": ">", ">": "<"}.get(block[0], block[0]) + block[1:]


def skeleton(of: SpelledName) -> str:
    """Return the consonants of a name, doubled ones once, which a slip of the pen mostly leaves alone."""
    return " ".join(_TWICE.sub(r"\1", word[0] + _VOWELS.sub("", word[1:])) for word in of.words)


def forbidden(one: SpelledName, other: SpelledName) -> str:
    """Return why two names cannot be one thing, whatever else speaks for it; "" where nothing does.

    >>> forbidden(name("ASR1603"), name("ASR1605")), forbidden(name("World War I"), name("World War II"))
    ('other numbers', 'other numbers')
    """
    if one.bare and one.bare == other.bare and one.joined != other.joined:
        return "other brackets"
    if one.bare != other.bare and (other.joined == one.bare or one.joined == other.bare):
        one, other = (name(BRACKET.sub("", each.label)) for each in (one, other))  # a bracket only tells more
    lower = one.label.islower(), other.label.islower()
    capitals = one.joined == other.joined and is_short(one.label) != is_short(other.label)
    lone = len(one.words) == len(other.words) == 1
    reasons = {
        "other numbers": one.numbers != other.numbers,
        "other initials": bool(one.initials and other.initials) and one.initials != other.initials,
        "capitals alone": capitals and len(one.joined) < SHORT,
        "a name and a common word": lower[0] != lower[1] and min(len(one.words), len(other.words)) == 1,
        "a certain one and a common word": lower[0] and lone and _article(one) != _article(other),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def is_vague(one: SpelledName, other: SpelledName) -> bool:
    """Return whether two names are what several things are called, so that only a context can tell: a common word, or
    one before what every place has, where they differ in an article, one is a kind in lower case, or has a number in
    words.

    >>> is_vague(name("The Court"), name("Court")), is_vague(name("The Great Plains"), name("Great Plains"))
    (True, False)
    """
    told = [word for word in one.words if word not in _NUMBERS]
    kind = {one.label.islower(), other.label.islower()} == {
        True,
        False,
    } and one.label.istitle() != other.label.istitle()
    differ = one.label != other.label and (_article(one) != _article(other) or kind or len(told) < len(one.words))
    few = len(told) == 1 or (len(told) == 2 and told[-1] in _EVERYWHERE)
    return differ and few and all(map(is_common, told))


def way(one: SpelledName, other: SpelledName) -> tuple[Way, float] | None:
    """Return the way in which two names resemble each other, with a likeness of at most 1; None where they do not."""
    likeness = round(fuzz.ratio(" ".join(one.words), " ".join(other.words)) / 100, 3)
    found: Way | None = None
    if one.words == other.words and one.initials == other.initials:
        found = "exact" if _marks(one) == _marks(other) else "lexical"
    elif one.joined in (other.firm, other.bare) or other.joined in (one.firm, one.bare):
        found, likeness = "form", 1.0
    elif one.words == other.words or _is_core(one, other) or _is_core(other, one):
        found = "longer"
    elif min(len(one.words), len(other.words)) > 1 and (one.joined == other.joined or _misspelt(one, other)):
        found = "lexical"
    elif _abbreviates(one, other) or _abbreviates(other, one):
        found = "acronym"
    return (found, likeness) if found else None


def _is_core(short: SpelledName, longer: SpelledName) -> bool:
    return short.joined in longer.cores


def _abbreviates(short: SpelledName, longer: SpelledName) -> bool:
    return bool(longer.acronym) and longer.acronym == short.joined and is_short(short.label)


def _misspelt(one: SpelledName, other: SpelledName) -> bool:
    """Other vowels, or a letter doubled, inside the words of a long name: "Mario" and "Maria" are two."""
    ends = [(word[0], word[-1]) for word in one.words] == [(word[0], word[-1]) for word in other.words]
    return ends and min(len(one.joined), len(other.joined)) >= MIN_LETTERS and skeleton(one) == skeleton(other)


def rank(of: SpelledName) -> tuple[object, ...]:
    """Order names: of those that are one thing the first stays, the longest without its article, in mixed case."""
    case = of.label.islower() or in_capitals(of.label)
    return -len(of.joined), _article(of), case, -len(of.initials), len(of.label.split()), of.label


def in_capitals(label: str) -> bool:
    """Return whether a name is in capitals, as headings have it: "ORR CORPORATION", "McORR CORPORATION"."""
    words = [word for word in re.findall(r"[^\W\d_]+", label) if len(word) > SHORT]
    return label.isupper() or bool(words and all(2 * sum(map(str.isupper, word)) > len(word) for word in words))


def _article(of: SpelledName) -> bool:
    return folded(of.label.partition(" ")[0]) in ARTICLES


def _marks(of: SpelledName) -> int:
    return sum(map(unicodedata.combining, unicodedata.normalize("NFKD", of.label))) > 0


def is_short(label: str) -> bool:
    """Return whether a name is an abbreviation: two to six capitals, with dots or without."""
    letters = re.sub(r"[.&]|^[Tt]he ", "", label)
    return 2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper()


def _cores(label: str) -> list[str]:
    """Return a name without its legal form or the places that end it: "Louisville" of "Louisville, Kentucky"."""
    found = _LEGAL.fullmatch(label)
    parts = label.split(", ") if _PLACES.fullmatch(label) else []
    cores = [", ".join(parts[:upto]) for upto in range(len(parts) - 1, 0, -1)] or ([found["name"]] if found else [])
    return [core for core in cores if any(sign.isalpha() for sign in core)]


def _number(part: str) -> str:
    plain = folded(part)
    if any(sign.isdigit() for sign in plain):
        return _ORDINAL.sub("", plain)
    if _ROMAN.fullmatch(part) and part != "C":
        return "roman " + part
    return _NUMBERS.get(plain, plain if _RANK.fullmatch(plain) or (len(part) == 1 and part.isupper()) else "")
