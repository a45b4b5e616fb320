"""Which names of a corpus a query holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.names.mentions import form

MAX_WORDS = 200  # of a query; longer ones are looked at in their beginning
LONGEST = 14  # words of a name

_WORD = re.compile(r"[^\W_]+(?:['’.&/-][^\W_]+)*\.?")
_ASKING = frozenset(  # words that begin questions and sentences, and words that join names
    "a also although an and are as at before after but by for did do does from had has have he her his how i if in "
    "is it its my name no not of on one or she some that the their there they this to was were what when where "
    "which while who whom whose why with".split()
)


class QueryName(NamedTuple):
    """A name found: the key of its form, how the corpus writes it, and how many passages mention it."""

    form: str
    label: str
    passages: int


class _Span(NamedTuple):
    form: str
    first: int
    last: int


def query_names(graph: Graph, corpus: str, query: str) -> tuple[QueryName, ...]:
    """Return the names of a corpus that stand in a query, longer ones first; no word belongs to two names."""
    spans = [span._replace(form=keys.form_key(corpus, span.form)) for span in _candidates(query)]
    rows = graph.read("retrieve/entities_by_form", forms=sorted({span.form for span in spans}))
    known = {row["form"]: QueryName(row["form"], row["label"], row["mentions"]) for row in rows}
    taken: set[int] = set()
    found: dict[str, QueryName] = {}
    for span in sorted(spans, key=lambda span: (span.first - span.last, span.first)):
        words = range(span.first, span.last + 1)
        if span.form in known and taken.isdisjoint(words):
            taken.update(words)
            found[span.form] = known[span.form]
    return tuple(found.values())


def _candidates(query: str) -> Iterator[_Span]:
    """Every run of words that can be a name: with a capital in it, or of several where the query has none."""
    words = [word for word, _ in zip(_WORD.finditer(query), range(MAX_WORDS), strict=False)]
    small = not any(word[0][0].isupper() for word in words[1:])
    for first in range(len(words)):
        for last in range(first, min(first + LONGEST, len(words))):
            inside = [word[0] for word in words[first : last + 1]]
            telling = [word for word in inside if word.lower().rstrip(".") not in _ASKING]
            capital = small or any(word[0].isupper() or word[0].isdigit() for word in inside)
            alone = last == first and (small or len(inside[0]) < 3 or inside[0][0].isdigit())
            if telling and capital and not alone:
                yield _Span(form(query[words[first].start() : words[last].end()]), first, last)
