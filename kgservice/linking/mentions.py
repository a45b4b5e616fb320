"""What a passage names: the title of its document and the capitalised names of its text.

The names follow from the passage alone, so that nothing is read again when documents come or go: a passage that names
"Nathan H. Juran" and the later document of that title are neighbours because both name one entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kgservice.linking.resolve import entity
from kgservice.model import Mention, Term
from kgservice.values import read_value

MAX_WORDS, MAX_PARTS = 10, 4  # of a name; "University of Oslo" has two parts
MAX_LABEL = 120  # characters

_BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
_SPELT = re.compile(r"[^\W_]+(?:['’&.][^\W_]+)*\.?")
_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*")
_GAP = re.compile(r"[^\S\n]*\n?[^\S\n]*|\s?[-–]\s?| & ")
_ABBREVIATION = re.compile(
    r"(?i)[^\W\d]|st|dr|mrs?|ms|jr|sr|mt|ft|prof|gen|col|lt|capt|sgt|rev|hon|no|vol|\w\.\w[\w.]*"
)
_ARTICLES = ("the", "a", "an")
_JOINING = frozenset(
    "of the and & de la le les du des van von der den di da del della al el bin ibn for in on to a an with from at "
    "et y e und or no my".split()
)
_OPENING = frozenset(  # words that begin sentences and name nothing
    "the a an in on at he it she his her its they their this that these those as after before by for from with when "
    "while and but or is was are were born there during under since although however some many most who which what "
    "where also one two three first following both other another not no if of to".split()
)


def form(label: str) -> str:
    """Return how a name is compared: lower case, no marks, no leading article, no initial ("H.") inside.

    >>> form("The Boy Who Cried"), form("Nathan H. Juran"), form("Sackville-West's")
    ('boy who cried', 'nathan juran', 'sackville west')
    """
    spelt = _SPELT.findall(label)
    kept = [word for at, word in enumerate(spelt) if not (0 < at < len(spelt) - 1 and _initial(word))]
    words = [word.lower().replace("’", "'").removesuffix("'s").replace(".", "") for word in kept]
    while len(words) > 1 and words[0] in _ARTICLES:
        words.pop(0)
    return " ".join(words)


def titles(title: str) -> tuple[str, ...]:
    """Return the names that a title gives: as it is, and without its bracket.

    >>> titles("Matilda of Brabant, Countess of Holland (died 1267)")[1:]
    ('Matilda of Brabant, Countess of Holland',)
    """
    whole = " ".join(title.split())
    names = dict.fromkeys((whole, _BRACKET.sub("", whole)))
    return tuple(name for name in names if form(name) and len(name) <= MAX_LABEL)


def heads(title: str) -> tuple[str, ...]:
    """Return the shorter name of a title with a comma: "Matilda of Brabant" in the example above."""
    return tuple(name[: name.index(",")] for name in titles(title)[-1:] if form(name.partition(",")[0]) and "," in name)


def mentions(title: str, text: str) -> tuple[Mention, ...]:
    """Return what a passage names, each place of the text once: a surname alone means the name that ends in it.

    The names of the title come without a place; pronouns need none, as they mean the title's more often than not.
    """
    own = (*titles(title), *heads(title))
    found = [Mention(entity=entity(Term(label=name)), start=None, end=None) for name in own]
    known = dict(_surnames(own))
    for start, end in _names(text):
        label = " ".join(text[start:end].split())
        if read_value(label)[0] == "entity":
            meant = known.get(form(label), label)
            known.update(pair for pair in _surnames((label,)) if pair[0] not in known)
            found.append(Mention(entity=entity(Term(label=meant)), start=start, end=end))
    return tuple(found)


def _initial(word: str) -> bool:
    return len(word) == 2 and word[0].isupper() and word[1] == "."


def _surnames(names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The last word of each name of several words, with the name."""
    for name in names:
        words = form(name).split()
        if len(words) > 1:
            yield words[-1], name


def _names(text: str) -> Iterator[tuple[int, int]]:
    """Where names stand: runs of capitalised words with the small words between them, and the parts of such runs."""
    for run in _runs(text):
        parts = list(_parts(run))
        for first in range(len(parts)):
            for last in range(first, min(first + MAX_PARTS, len(parts))):
                at, upto = parts[first][0], parts[last][1]
                words = [word[0] for word in run[at:upto]]
                start, end = run[at].start(), run[upto - 1].end()
                if len(words) <= MAX_WORDS and end - start <= MAX_LABEL and (len(words) > 1 or _alone(words[0])):
                    yield start, end


def _alone(word: str) -> bool:
    """True if one word can be a name by itself."""
    return len(word) > 1 and not word[0].isdigit() and word.lower() not in _OPENING


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Runs of words that may be one name: they begin and end with a capital or a number, and no mark is between."""
    run: list[re.Match[str]] = []
    for word, after in pairwise([*_WORD.finditer(text), None]):
        if word is None:
            break
        if run or _begins(word[0], after):
            run.append(word)
        inside = after is not None and _follows(after[0]) and _near(text, word, after)
        if run and not inside:
            yield from _trimmed(run)
            run = []


def _begins(word: str, after: re.Match[str] | None) -> bool:
    """A capital begins a name, and so does a short number before one ("20th Century Fox", not "1949 British")."""
    return word[0].isupper() or (
        word[:1].isdigit() and not word[:4].isdigit() and after is not None and after[0][0].isupper()
    )


def _follows(word: str) -> bool:
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
    """The parts of a run between its small words and after its genitives, as (first, after the last)."""
    first: int | None = None
    for at, word in enumerate(run):
        if not _capital(word):
            if first is not None:
                yield first, at
            first = None
        else:
            first = at if first is None else first
            if word[0].endswith(("'s", "’s")):
                yield first, at + 1
                first = None
    if first is not None:
        yield first, len(run)
