"""What a passage names: the title of its document and the capitalised names of its text.

The names follow from the passage alone, so that nothing is read again when documents come or go: a passage that names
"Nathan H. Juran" and the later document of that title are neighbours because both name one entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from kgservice.core.records import Mention, Term
from kgservice.names.local_entities import entity
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.sentences import short_lines
from kgservice.text.values import MONTHS, read_value

MAX_WORDS, MAX_PARTS = 10, 4  # of a name; "University of Oslo" has two parts
MAX_LABEL = 120  # characters

BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
_SPELT = re.compile(r"[^\W_]+(?:['’&.][^\W_]+)*\.?")
_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*")
_GAP = re.compile(r"[^\S\n]*\n?[^\S\n]*|\s?[-–]\s?| & ")
_MONTH = "|".join(MONTHS.title().split())
_DAY = re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTH})\b|(?:{_MONTH}) \d{{1,4}}\b)(?:,? \d{{4}}\b)?")
_ABBREVIATION = re.compile(
    r"(?i)[^\W\d]|st|dr|mrs?|ms|jr|sr|mt|ft|prof|gen|col|lt|capt|sgt|rev|hon|no|vol|\w\.\w[\w.]*"
)
GENITIVE = ("'s", "’s")
_ARTICLES = ("the", "a", "an")
_OWNERS = tuple(f"{owner}{mark}s" for owner in "people men women children king queen new year".split() for mark in "'’")
ADJECTIVE = re.compile(r"\w(?:an|ese|ic|ish|[aei][lnqt]i|udi|ch|ern|er)\Z|(?:dutch|greek|czech|thai|swiss)\Z")
_SMALL = frozenset("and or but be been had has have also than then who which that where when the an did said".split())
_SMALL |= PREPOSITIONS | BE | AUXILIARIES | {"language", "languages"}
_NOUN = re.compile(r" ([a-z]{2,})\b")
_SENTENCE = re.compile(r"[.!?]['\"”)]*\s+\Z")
_KIN = re.compile(r" (?:family|families|dynasty|clan|brothers|sisters|siblings|twins|administration|presidency|era)\b")
_JOINING = frozenset(
    "of the and & de la le les du des van von der den di da del della al el bin ibn for in on to a an with from at "
    "et y e und or no my".split()
)
_JOINING_TWO = frozenset("and or in on to with from at et y e und no my".split())
_OPENING = frozenset(  # words that begin sentences and name nothing
    "the a an in on at he it she his her its they their this that these those as after before by for from with when "
    "while and but or is was are were born there during under since although however some many most who which what "
    "where also one two three first following both other another not no if of to".split()
)


class NamePlace(NamedTuple):
    """A name in a text, `text[start:end]` with white space folded, or what it means there."""

    label: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def form(label: str) -> str:
    """Return how a name is compared: lower case, no marks, no leading article, no initial ("H.") inside.

    >>> form("The Boy Who Cried"), form("Nathan H. Juran"), form("Sackville-West's")
    ('boy who cried', 'nathan juran', 'sackville west')
    """
    return form_of(spelt(label))


def spelt(text: str) -> list[str]:
    """Return the words of a text as names are compared by them: "Sackville-West" is two."""
    return _SPELT.findall(text)


def form_of(words: Sequence[str]) -> str:
    """Return the form of a name of these words (spelt)."""
    last = len(words) - 1
    kept = [_bare(word) for at, word in enumerate(words) if at in (0, last) or not _initial(word)]
    first = 0
    while first < len(kept) - 1 and kept[first] in _ARTICLES:
        first += 1
    return " ".join(kept[first:])


@lru_cache(maxsize=65536)
def _bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s").replace(".", "")


def unnumbered(title: str) -> str:
    """Return a title in single spaces and without a manual's section: "crontab" of "crontab(5)"."""
    return re.sub(r"(?<=\w)\(\d\w?\)$", "", " ".join(title.split()))


def titles(title: str) -> tuple[str, ...]:
    """Return the names that a title gives: as it is, and without its bracket.

    >>> titles("Matilda of Brabant, Countess of Holland (died 1267)")[1:]
    ('Matilda of Brabant, Countess of Holland',)
    """
    whole = unnumbered(title)
    names = dict.fromkeys((whole, BRACKET.sub("", whole)))
    return tuple(name for name in names if form(name) and len(name) <= MAX_LABEL)


def heads(title: str) -> tuple[str, ...]:
    """Return the shorter name of a title with a comma: "Matilda of Brabant" in the example above."""
    return tuple(name[: name.index(",")] for name in titles(title)[-1:] if form(name.partition(",")[0]) and "," in name)


def mentions(title: str, text: str, known: Mapping[str, str] | None = None) -> tuple[Mention, ...]:
    """Return what a passage names, each name once and where it stands first.

    `known` says what names mean in its document (linking.identity); without it a surname means the last whole name that
    has it. An abbreviation stays a name beside what it is short for. Names that the title alone gives have no place;
    pronouns need none: they mean the title's more often than not.
    """
    own = (*titles(title), *heads(title))
    places: dict[str, tuple[int, int]] = {}
    for label, start, end in _named(own, text) if known is None else _meant(known, text):
        places.setdefault(label, (start, end))
    found = {name: places.get(name) for name in (*own, *places) if read_value(name)[0] == "entity"}
    return tuple(_mention(name, *(place or (None, None))) for name, place in found.items())


def _named(own: tuple[str, ...], text: str) -> Iterator[NamePlace]:
    """Yield the names of a passage, with the whole name for a surname."""
    known = dict(_surnames(own))
    for start, end, *_ in _names(text):
        label = " ".join(text[start:end].split())
        yield NamePlace(known.get(form(label), label), start, end)
        for surname, name in _surnames((label,)):
            known.setdefault(surname, name)


def _meant(known: Mapping[str, str], text: str) -> Iterator[NamePlace]:
    """Yield what the names of a passage mean, and the abbreviations as they are."""
    for start, end, *_ in _names(text):
        label = " ".join(text[start:end].split())
        yield NamePlace(known.get(label, label), start, end)
        if label in known and label.isupper():
            yield NamePlace(label, start, end)


def places(text: str) -> list[NamePlace]:
    """Return where names stand for themselves in a text, in order.

    No head of a longer name does ("University" of Oslo), nor what follows a genitive that is part of one ("Republic of
    China" after "People's"), a name that says whose kin is meant ("the Jackson family"), an adjective ("Croatian
    violinist"), or a common word that begins a sentence or shares its head ("North and South Gardens").
    """
    return [
        NamePlace(" ".join(text[start:end].split()), start, end)
        for start, end, run, at, upto in _names(text)
        if _is_itself(text, run, at, upto)
    ]


def spans(text: str) -> list[NamePlace]:
    """Return every capitalised name of a text in order, also those that `places` doubts; the longest that no "and" and
    no preposition of place or time joins ("University of Oslo", but "Ada" and "Bert" of "Ada and Bert")."""
    found = {
        (start, end): NamePlace(" ".join(text[start:end].split()), start, end)
        for start, end, run, at, upto in _names(text)
        if _JOINING_TWO.isdisjoint(word[0] for word in run[at:upto])
    }
    return [
        one
        for at, one in sorted(found.items())
        if not any(other != at and other[0] <= at[0] and at[1] <= other[1] for other in found)
    ]


@lru_cache(maxsize=65536)
def is_common(word: str) -> bool:
    """Return whether a word is one of the dictionary that is written without a capital."""
    import simplemma  # a dictionary, read at the first word

    return bool(word) and simplemma.is_known(word, lang="en") and simplemma.lemmatize(word, lang="en").islower()


def _mention(name: str, start: int | None, end: int | None) -> Mention:
    return Mention(entity=entity(Term(label=name)), start=start, end=end)


def _initial(word: str) -> bool:
    return len(word) == 2 and word[0].isupper() and word[1] == "."


def _surnames(names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the last word of each name that can be a person's, with the name: "Oslo" is not the University of Oslo."""
    for name in names:
        words = name.split()
        if 2 <= len(words) <= 4 and all(word[0].isupper() and word.rstrip(".").isalpha() for word in words):
            yield form(words[-1]), name


def _names(text: str) -> Iterator[tuple[int, int, list[re.Match[str]], int, int]]:
    """Yield where names stand: runs of capitalised words with the small words between them, and the parts of such runs;
    with the run and the part's words in it."""
    for run in _runs(text):
        parts = list(_parts(run))
        for first in range(len(parts)):
            for last in range(first, min(first + MAX_PARTS, len(parts))):
                at, upto = parts[first][0], parts[last][1]
                words = [word[0] for word in run[at:upto]]
                start, end = run[at].start(), run[upto - 1].end() - 2 * run[upto - 1][0].endswith(GENITIVE)
                if len(words) <= MAX_WORDS and end - start <= MAX_LABEL and any(_telling(word) for word in words):
                    yield start, end, run, at, upto


def _is_itself(text: str, run: list[re.Match[str]], at: int, upto: int) -> bool:
    """Return whether a part of a run means what it is called; only single words are doubted, but for what a genitive
    owns."""
    word, after = run[upto - 1][0].lower(), run[upto][0].lower() if upto < len(run) else ""
    if at > 0 and run[at - 1][0].lower() in _OWNERS:
        return False
    if upto - at - (run[at][0].lower() in _ARTICLES) != 1:
        return True
    end, start = run[upto - 1].end(), run[at].start()
    if after == "of" or word in _OWNERS or _KIN.match(text, end):
        return False
    if ADJECTIVE.search(word) and (noun := _NOUN.match(text, end)) and noun[1] not in _SMALL:
        return False
    begins = start == 0 or _SENTENCE.search(text, max(0, start - 4), start) is not None
    return not (is_common(word) and (begins or after in ("and", "or")))


def _telling(word: str) -> bool:
    """Return whether a word can be a name by itself."""
    return len(word) > 1 and word[0].isupper() and word.lower() not in _OPENING


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield runs of words that may be one name: they begin and end with a capital or a number, with no mark between."""
    days = {word.start() for day in _DAY.finditer(text) for word in _WORD.finditer(text, *day.span())}
    short = short_lines(text) if "\n" in text else ()
    run: list[re.Match[str]] = []
    for word, after in zip_longest(words := list(_WORD.finditer(text)), words[1:]):
        if not run and word[0][0].islower():  # as most: it begins no name
            continue
        if word.start() not in days and (run or _begins(word[0], after)):
            run.append(word)
        if not run:
            continue
        inside = after is not None and after.start() not in days and follows(after[0]) and _near(text, word, after)
        if not (inside and text.find("\n", word.end(), after.start()) not in short):
            yield from _trimmed(run)
            run = []


def _begins(word: str, after: re.Match[str] | None) -> bool:
    """Return whether a word begins a name: a capital does, and a short number before one ("20th Century Fox", not "1949
    British")."""
    if not word[0].isdigit():
        return word[0].isupper()
    return not word[:4].isdigit() and after is not None and after[0][0].isupper()


def follows(word: str) -> bool:
    """Return whether a word may stand inside a name: a capital, a number, "of"."""
    return word[0].isupper() or word[0].isdigit() or word.lower() in _JOINING


def _near(text: str, word: re.Match[str], after: re.Match[str]) -> bool:
    gap = text[word.end() : after.start()]
    return bool(_GAP.fullmatch(gap)) or (gap in (". ", ".") and bool(_ABBREVIATION.fullmatch(word[0])))


def _trimmed(run: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Leave out the small words at the end of a run."""
    while run and not _capital(run[-1]):
        run.pop()
    if run:
        yield run


def _capital(word: re.Match[str]) -> bool:
    return word[0][0].isupper() or word[0][0].isdigit()


def _parts(run: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run between its small words and after its genitives, as (first, after the last)."""
    first: int | None = None
    for at, word in enumerate(run):
        if not _capital(word):
            if first is not None:
                yield first, at
            first = None
        else:
            first = at if first is None else first
            if word[0].endswith(GENITIVE) or (
                at == 0 and word[0].lower() in _OPENING.difference(_ARTICLES)
            ):  # "In Norway": Norway too
                yield first, at + 1
                first = None
    if first is not None:
        yield first, len(run)
