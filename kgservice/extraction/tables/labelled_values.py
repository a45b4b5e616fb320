"""The values that items of lists give behind their labels: "- Employee-only medical coverage: $96.05".

An item is told, as a row of a table is, by where it stands: under which heading of which document (`lists.py`). Its
value is a number, a date, an address or a name. What a place gives for a label twice states nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Chunk, Document, Term, Triplet
from kgservice.extraction.tables.captions import SUBJECT_KEYS
from kgservice.extraction.tables.cells import EMPTY, clean
from kgservice.extraction.tables.descriptions import without_code
from kgservice.extraction.tables.lists import ListedRow, find_place, row_at, section_at, single_value
from kgservice.text.inflection import may_be_noun, may_be_verb

GIVEN = "value given"
MAX_LABEL, MAX_VALUE = 7, 6  # words
_ITEM = re.compile(
    r"(?m)^[ \t]*[-*+•][ \t]+(?:\*\*|__)?(?P<label>[A-Z][^\n:*|{}<>]{1,60}?)(?::(?:\*\*|__)?|(?:\*\*|__):)[ \t]+"
    r"(?P<value>[^\n]+)(?=\n[ \t]*(?:\n|[-*+•#])|\s*\Z)"  # a value is not longer than its line
)
ADDRESS = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s<>()]+|\+?\(?\d{1,4}\)?(?:[ .-]\d{2,4}){2,4}"
)


_POINTS = re.compile(r"[*_ ]*\[")


class _Given(NamedTuple):
    """What an item gives: the name that tells it, the value, and where it stands."""

    item: ListedRow
    value: str
    start: int
    end: int


def labelled_triplets(chunk: Chunk, document: Document) -> list[Triplet]:
    """Return what labelled items within a chunk give, of a document whose metadata name nothing that it is about."""
    if any(key in document.metadata for key in SUBJECT_KEYS):
        return []
    return [
        Triplet(
            subject=Term(label=one.item.label),
            relation=GIVEN,
            object=Term(label=one.value),
            sentence=document.text[one.start : one.end],
            cell="item of a list",
        )
        for one in _given(document.text, document.title)
        if chunk.holds(one.start, one.end)
    ]


@lru_cache(maxsize=8)
def _given(text: str, title: str) -> tuple[_Given, ...]:
    bare = without_code(text)
    found = list[_Given]()
    for item in _ITEM.finditer(bare):
        label, value = clean(item["label"]), _bare(clean(item["value"]))
        if _POINTS.match(item["value"]) and not ADDRESS.fullmatch(value):  # a link's words name a page
            continue
        place = find_place(section_at(bare, item.start()), title, text, item.start()).said
        if place and 0 < len(label.split()) <= MAX_LABEL and _is_label(label):
            found.append(_Given(row_at(label, "entry", place), value, item.start(), item.end("value")))
    times = Counter(one.item.label.lower() for one in found)
    return tuple(one for one in found if times[one.item.label.lower()] == 1 and _is_value(one.value))


def _is_label(label: str) -> bool:
    """Return whether a label names a field: no question and no instruction ("See examples")."""
    first = label.split(maxsplit=1)[0].lower()
    return not label.endswith("?") and (may_be_noun(first) or not may_be_verb(first))


def _bare(value: str) -> str:
    """Return a value without the brackets of an address and the stop of a list; "5 p.m." keeps its own."""
    return re.sub(r"(?<!\b\w)\.$", "", value.strip("<>").rstrip(";, "))


def _is_value(value: str) -> bool:
    """Return whether a value can answer a question: no text, no instruction ("Check “Yes”") and no markup."""
    if ADDRESS.fullmatch(value):
        return True
    words = value.split()
    if EMPTY.fullmatch(value) or value[-1:] in "_:" or value.count("(") != value.count(")"):
        return False
    plain = 0 < len(words) <= MAX_VALUE and not re.search(r"[{}<>|\"“”]", value) and single_value(value.rstrip("."))
    return plain and (may_be_noun(words[0].lower()) or not may_be_verb(words[0].lower()))
