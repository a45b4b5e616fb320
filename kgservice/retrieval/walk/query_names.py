"""The names of a corpus in a query, as written or misspelt, with a confidence each."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.names.mentions import form, form_of, is_common, spelt

MAX_WORDS = 200  # of a query; the rest of a longer one is ignored
LONGEST = 14  # words of a name
SHORTEST = 4  # letters of a word that may be misspelt: a shorter one with another letter is another word
ONE_SLIP = 7  # letters; longer words may have two typos (a letter more, less, changed, or two swapped), others one
FUZZY = 10  # words searched with typos at once: each stands for up to 50 in two fields, and Lucene takes 1,024 clauses
LIKE = 12  # passages with similar words whose names are compared
PLAIN = 0.5  # confidence in a name of common words alone, in a query without capitals

_LETTERS = string.ascii_lowercase
_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*\.?")
_ASKING = frozenset(  # words that begin questions and sentences, and words that join names
    "a also although an and are as at before after but by for did do does from had has have he her his how i if in "
    "is it its my name no not of on one or she some that the their there they this to was were what when where "
    "which while who whom whose why with".split()
)


class QueryName(NamedTuple):
    """A name in a query: the key of its form, its label in the corpus, and the number of passages that mention it.

    `sure` is 1 for a name as written in the corpus, less for a misspelt one or one of common words. `written` is the
    query's text.
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
    """The words of a query in order, as written and folded for comparison."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.places = [word for word, _ in zip(_WORD.finditer(query), range(MAX_WORDS), strict=False)]
        self.written = [word[0] for word in self.places]
        self.spelt = [spelt(word) for word in self.written]
        self.plain = [folded(form_of(parts)) for parts in self.spelt]
        self.small = not any(word[0].isupper() for word in self.written[1:])

    def text(self, first: int, last: int) -> str:
        return self.query[self.places[first].start() : self.places[last].end()]


def forms_of(corpus: str, query: str) -> list[str]:
    """Return the keys of the forms that names in a query can have, in order."""
    return sorted({key for _, key in _read(corpus, query)[1]})


@lru_cache(maxsize=256)
def _read(corpus: str, query: str) -> tuple[_Words, tuple[tuple[_Span, str], ...]]:
    """Return the words of a query, and every span that can be a name with the key of its form."""
    words = _Words(query)
    return words, tuple((span, keys.form_key(corpus, span.form)) for span in _candidates(words))


def query_names(
    graph: Graph,
    corpus: str,
    query: str,
    near: Collection[str] = (),
    rows: Sequence[Mapping[str, Any]] | None = None,
) -> tuple[QueryName, ...]:
    """Return the names of a corpus that occur in a query, longer ones first. No word belongs to two names.

    A word outside all names that is no common word may be a misspelt name. It is compared with the names of passages
    that have a similar word, and with those of the passages `near` the query (keys of chunks). `rows` are those of
    retrieve/entities_by_form for the query's forms; they are read if not given.
    """
    words, keyed = _read(corpus, query)
    if rows is None:
        forms = forms_of(corpus, query)
        rows = graph.read("retrieve/entities_by_form", forms=forms) if forms else ()
    stored = {row["form"]: (row["label"], row["mentions"]) for row in rows}
    exact = _apart([(span, key, *stored[key]) for span, key in keyed if key in stored])
    doubtful = _doubtful(words, {at for span, *_ in exact for at in range(span.first, span.last + 1)})
    if doubtful:
        exact = _apart([*exact, *_alike(words, doubtful, _like(graph, corpus, words, doubtful, near))])
    return tuple(
        {
            key: QueryName(key, label, passages, span.sure, words.text(span.first, span.last))
            for span, key, label, passages in exact
        }.values()
    )


def respelt(corpus: str, query: str, rows: Iterable[Mapping[str, Any]], is_known: Callable[[str], bool]) -> str:
    """Return a query with misspelt words of the dictionary put right.

    A misspelt word has no capital, is in no name of the corpus, in no dictionary and not known to the corpus. One word
    of the dictionary has the same letters but for two neighbours in the other order or, if none has, one letter more,
    less or changed. `rows` are those of retrieve/entities_by_form for the query's forms.
    """
    words, keyed = _read(corpus, query)
    stored = {row["form"] for row in rows}
    named = [span for span, key in keyed if key in stored]
    for at in _doubtful(words, {at for span in named for at in range(span.first, span.last + 1)}):
        written = words.written[at]
        meant = _dictionary_word(written)
        if meant and not is_known(written):
            query = re.sub(rf"\b{re.escape(written)}\b", meant, query)
    return query


@lru_cache(maxsize=4096)
def _dictionary_word(word: str) -> str | None:
    """Return the one word of the dictionary that a misspelt one may be, or None if there is none or several.

    >>> _dictionary_word("conutry"), _dictionary_word("ujng")
    ('country', None)
    """
    if not (word.isascii() and word.isalpha() and word.islower()):
        return None
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)} - {word}
    if not (found := {other for other in swapped if is_common(other)}):
        parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
        near = {first + rest[1:] for first, rest in parts if rest}
        near |= {first + letter + rest[skipped:] for first, rest in parts for letter in _LETTERS for skipped in (0, 1)}
        found = {other for other in near if is_common(other)}
    return found.pop() if len(found) == 1 else None


def corrected(query: str, names: Iterable[QueryName]) -> str:
    """Return a query with its misspelt names replaced by the corpus's labels.



    >>> corrected("Who made Habrour Lights?", [QueryName("key", "Harbour Lights", 3, 0.9, "Habrour Lights")])
    'Who made Harbour Lights?'
    """
    for name in names:
        if name.written and form(name.written) != form(name.label):
            query = query.replace(name.written, name.label)
    return query


def folded(text: str) -> str:
    """Return a text without diacritics: "Zürich" is "Zurich"."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _candidates(words: _Words) -> Iterator[_Span]:
    """Yield every span of words that can be a name.

    It needs a capital or, in a query without capitals, a word that is not common.
    """
    content = [word.lower().rstrip(".") not in _ASKING for word in words.written]
    capital = [words.small or word[0].isupper() or word[0].isdigit() for word in words.written]
    for first in range(len(words.written)):
        parts: list[str] = []
        for last in range(first, min(first + LONGEST, len(words.written))):
            parts += words.spelt[last]
            if any(content[first : last + 1]) and any(capital[first : last + 1]):
                name = form_of(parts)
                if not _is_too_short(name, words.written[first : last + 1], words):
                    common = words.small and all(is_common(word) for word in name.split())
                    yield _Span(name, first, last, PLAIN if common else 1.0)


def _is_too_short(name: str, inside: Sequence[str], words: _Words) -> bool:
    """Return whether a candidate of one word is no name.

    One word needs a capital or, in a query without capitals, must not be common.
    """
    if " " in name:
        return False
    word = inside[-1]
    return (
        len(name) < 3
        or name[0].isdigit()
        or (words.small and (is_common(name) or len(name) < SHORTEST))
        or (len(inside) > 1 and not words.small and not word[0].isupper())
    )


def _apart(candidates: Iterable[tuple[_Span, str, str, int]]) -> list[tuple[_Span, str, str, int]]:
    """Return the candidates without overlaps, the longest names first."""
    taken: set[int] = set()
    kept = []
    for candidate in sorted(
        candidates,
        key=lambda candidate: (
            candidate[0].first - candidate[0].last,
            -candidate[0].sure,
            candidate[0].first,
            -candidate[3],
        ),
    ):
        words = range(candidate[0].first, candidate[0].last + 1)
        if taken.isdisjoint(words):
            taken.update(words)
            kept.append(candidate)
    return kept


def _doubtful(words: _Words, taken: Collection[int]) -> list[int]:
    """Return the indexes of words that may be misspelt: in no name, and not in the dictionary."""
    return [
        at
        for at, word in enumerate(words.plain)
        if at not in taken and len(word) >= SHORTEST and word.isalpha() and not is_common(word)
    ]


def _like(
    graph: Graph, corpus: str, words: _Words, doubtful: Sequence[int], near: Collection[str]
) -> list[dict[str, Any]]:
    """Return the names of passages with words in reach of Lucene's fuzzy search, and of the passages near the query.

    Of many words the longest are searched for, which are names rather than the shorter ones.
    """
    searched = sorted(doubtful, key=lambda at: (-len(words.plain[at]), at))[:FUZZY]
    terms = " ".join(f"{words.plain[at]}~2" for at in sorted(searched))
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
    """Yield names that match the query but for typos in its doubtful words. `sure` is the share of correct letters."""
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
    """Return the number of typos between a word and part of a name, or None for another word. Figures never differ."""
    if word == part:
        return 0
    allowed = 1 + (min(len(word), len(part)) > ONE_SLIP)
    if not may_differ or not part.isalpha() or min(len(word), len(part)) < SHORTEST:
        return None
    distance = OSA.distance(word, part, score_cutoff=allowed)
    return distance if distance <= allowed else None
