"""Which names of a corpus a query holds, and how sure that is: as they are written, or spelt a little otherwise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.names.mentions import form, is_common

MAX_WORDS = 200  # of a query; longer ones are looked at in their beginning
LONGEST = 14  # words of a name
SHORTEST = 4  # letters of a word that may be misspelt: at one letter's distance shorter ones are other words
ONE_SLIP = 7  # letters; longer words may differ by two slips, each a letter more, less, changed or two turned round
LIKE = 12  # passages whose names are looked at, by the words that may be misspelt
PLAIN = 0.5  # confidence in a name of common words alone, where the query has no capitals

_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*\.?")
_ASKING = frozenset(  # words that begin questions and sentences, and words that join names
    "a also although an and are as at before after but by for did do does from had has have he her his how i if in "
    "is it its my name no not of on one or she some that the their there they this to was were what when where "
    "which while who whom whose why with".split()
)


class QueryName(NamedTuple):
    """A name found: the key of its form, how the corpus writes it, how many passages mention it.

    `sure` is 1 for a name that stands in the query as one, less for one spelt otherwise or that common words make up;
    `written` is what the query has for it.
    """

    form: str
    label: str
    passages: int
    sure: float = 1.0
    written: str = ""


class _Span(NamedTuple):
    form: str
    first: int
    last: int
    sure: float


class _Words:
    """The words of a query, in order, and as names compare."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.places = [word for word, _ in zip(_WORD.finditer(query), range(MAX_WORDS), strict=False)]
        self.written = [word[0] for word in self.places]
        self.plain = [folded(form(word)) for word in self.written]
        self.small = not any(word[0].isupper() for word in self.written[1:])

    def text(self, first: int, last: int) -> str:
        return self.query[self.places[first].start() : self.places[last].end()]


def query_names(graph: Graph, corpus: str, query: str, near: Collection[str] = ()) -> tuple[QueryName, ...]:
    """Return the names of a corpus that stand in a query, longer ones first; no word belongs to two names.

    A word that is neither part of such a name nor a common word may be one misspelt: it is compared with the names of
    passages that have a word like it, and of those `near` the query (keys of chunks).
    """
    words = _Words(query)
    spans = list(_candidates(words))
    asked = sorted({keys.form_key(corpus, span.form) for span in spans})
    rows = graph.read("retrieve/entities_by_form", forms=asked) if asked else ()
    known = {row["form"]: (row["label"], row["mentions"]) for row in rows}
    found = [(span, keys.form_key(corpus, span.form)) for span in spans]
    exact = _apart([(span, key, *known[key]) for span, key in found if key in known])
    doubtful = _doubtful(words, {at for span, *_ in exact for at in range(span.first, span.last + 1)})
    if doubtful:
        exact = _apart([*exact, *_alike(words, doubtful, _like(graph, corpus, words, doubtful, near))])
    return tuple(
        {
            key: QueryName(key, label, passages, span.sure, words.text(span.first, span.last))
            for span, key, label, passages in exact
        }.values()
    )


def corrected(query: str, names: Iterable[QueryName]) -> str:
    """Return a query with the names that it misspells as the corpus writes them.

    >>> corrected("Who made Habrour Lights?", [QueryName("key", "Harbour Lights", 3, 0.9, "Habrour Lights")])
    'Who made Harbour Lights?'
    """
    for name in names:
        if name.written and form(name.written) != form(name.label):
            query = query.replace(name.written, name.label)
    return query


def folded(text: str) -> str:
    """Return a text without the marks on its letters: "Zürich" is "Zurich"."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _candidates(words: _Words) -> Iterator[_Span]:
    """Every run of words that can be a name: with a capital in it, or any that says more than a common word where the
    query has no capitals."""
    for first in range(len(words.written)):
        for last in range(first, min(first + LONGEST, len(words.written))):
            inside = words.written[first : last + 1]
            telling = [word for word in inside if word.lower().rstrip(".") not in _ASKING]
            capital = words.small or any(word[0].isupper() or word[0].isdigit() for word in inside)
            name = form(words.text(first, last))
            if telling and capital and not _is_too_short(name, inside, words):
                common = words.small and all(is_common(word) for word in name.split())
                yield _Span(name, first, last, PLAIN if common else 1.0)


def _is_too_short(name: str, inside: Sequence[str], words: _Words) -> bool:
    """One word is a name where it has a capital or, in a query without any, where it is no common word."""
    if " " in name:
        return False
    word = inside[-1]
    return (
        len(name) < 3
        or name[0].isdigit()
        or (words.small and (is_common(name) or len(name) < SHORTEST))
        or (len(inside) > 1 and not words.small and not word[0].isupper())
    )


def _apart(found: Iterable[tuple[_Span, str, str, int]]) -> list[tuple[_Span, str, str, int]]:
    """The longest names first, each word in one of them."""
    taken: set[int] = set()
    kept = []
    for one in sorted(found, key=lambda one: (one[0].first - one[0].last, -one[0].sure, one[0].first, -one[3])):
        words = range(one[0].first, one[0].last + 1)
        if taken.isdisjoint(words):
            taken.update(words)
            kept.append(one)
    return kept


def _doubtful(words: _Words, taken: Collection[int]) -> list[int]:
    """The places of words that may be misspelt: in no name, and not in the dictionary."""
    return [
        at
        for at, word in enumerate(words.plain)
        if at not in taken and len(word) >= SHORTEST and word.isalpha() and not is_common(word)
    ]


def _like(
    graph: Graph, corpus: str, words: _Words, doubtful: Sequence[int], near: Collection[str]
) -> list[dict[str, Any]]:
    """The names of passages with words like the doubtful ones, in reach of Lucene's fuzzy search, and of those near."""
    terms = " ".join(f"{words.plain[at]}~2" for at in doubtful)
    code = keys.corpus_code(corpus)
    return [
        row.data()
        for row in graph.read(
            "retrieve/names_like",
            text=f"title:({terms})^2 text:({terms})",
            limit=LIKE,
            near=sorted(near),
            code=code,
            until=code + "~",
        )
    ]


def _alike(
    words: _Words, doubtful: Sequence[int], rows: Iterable[dict[str, Any]]
) -> Iterator[tuple[_Span, str, str, int]]:
    """Names that stand in the query but for slips in its doubtful words; `sure` falls by what the slips leave alike."""
    open_to = set(doubtful)
    for row in rows:
        parts = folded(form(row["label"])).split()
        for first in range(len(words.plain) - len(parts) + 1):
            places = range(first, first + len(parts))
            if open_to.isdisjoint(places):
                continue
            slips = [_slips(words.plain[at], part, at in open_to) for at, part in zip(places, parts, strict=True)]
            if all(slip is not None for slip in slips):
                alike = 1 - sum(slip or 0 for slip in slips) / sum(len(part) for part in parts)
                yield _Span("", first, places[-1], alike), row["form"], row["label"], row["mentions"]


def _slips(word: str, part: str, may_differ: bool) -> int | None:
    """How many slips lie between a word and part of a name; None for another word. Figures never differ."""
    if word == part:
        return 0
    allowed = 1 + (min(len(word), len(part)) > ONE_SLIP)
    if not may_differ or not part.isalpha() or min(len(word), len(part)) < SHORTEST:
        return None
    found = OSA.distance(word, part, score_cutoff=allowed)
    return found if found <= allowed else None
