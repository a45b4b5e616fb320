"""Tables that may be of a part of what their document is about: under "Trucks", in the report of a group.

Nothing in such a table says whose its numbers are, but they contradict another table: the same measure has another
value in a column of the same name. That table stands under a heading above this one's, or this one's heading is the
name of a row or a column elsewhere ("Converse" among the segments).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache
from typing import NamedTuple

from kgservice.extraction.tables.captions import CONTAINER
from kgservice.extraction.tables.cells import KNOWN, clean, split, whole_header
from kgservice.extraction.tables.lists import section_at
from kgservice.text.chunking import TextTable, tables

_OF_ALL = re.compile(r"(?i)\b(?:revenues?|sales|income|profits?|earnings|employees|assets|population|gdp|area)\b")
_NUMBERED = re.compile(r"(?i)^(?:notes? )?\d{1,2}\s?[.:–—-]\s*")


class _Numbers(NamedTuple):
    """What a table of a document gives: its place and section, its rows and columns, and its numbers by both.

    `compared` are the rows with two numbers or more: a table of contents has none. Left out are the numbers of rows and
    columns whose name repeats, and of measures that are no company's as a whole.
    """

    first: int
    last: int
    section: str
    rows: frozenset[str]
    compared: frozenset[str]
    heads: list[str]
    numbers: dict[tuple[str, str], str]


def may_be_of_a_part(text: str, at: int, scope: str) -> bool:
    """Return whether the table at an offset of a document's text may be of a part of the scope, a name."""
    return any(first <= at < last for first, last in _part_tables(text, scope.casefold()))


@lru_cache(maxsize=8)
def _part_tables(text: str, scope: str) -> list[tuple[int, int]]:
    """Return the places of the tables that may be of a part."""
    found = [_numbers(text, table) for table in tables(text)]
    named = defaultdict[str, set[str]](set)  # the sections by the names of rows and columns
    stated = defaultdict[tuple[str, str], dict[str, set[str]]](dict)  # the numbers by measure and section
    for table in found:
        for name in (*table.compared, *table.heads):
            named[name].add(table.section)
        for measured, number in table.numbers.items():
            stated[measured].setdefault(table.section, set()).add(number)
    return [(table.first, table.last) for table in found if _may_be_of_a_part(table, scope, named, stated)]


def _may_be_of_a_part(
    table: _Numbers, scope: str, named: dict[str, set[str]], stated: dict[tuple[str, str], dict[str, set[str]]]
) -> bool:
    *above, heading = table.section.split(" > ")
    heading = _name(_NUMBERED.sub("", heading))
    if not heading or heading in scope:
        return False
    higher = {" > ".join(above[:size]) for size in range(1, len(above) + 1)}
    measured = heading in table.rows or KNOWN.search(heading) or CONTAINER.search(heading)
    is_part = not measured and bool(named.get(heading))
    for place, number in table.numbers.items():
        elsewhere = stated[place]
        sections = elsewhere.keys() - {table.section} if is_part else elsewhere.keys() & higher
        if any(not _agree(number, other) for section in sections for other in elsewhere[section]):
            return True
    return False


def _numbers(text: str, table: TextTable) -> _Numbers:
    lines = [line.strip() for line in text[table.first : table.last].split("\n")]
    heads = [_name(cell) for cell in split(whole_header(lines))][1:]
    rows = [
        (_name(first), [clean(cell) for cell in cells]) for first, *cells in (split(line) or [""] for line in lines[2:])
    ]
    times = Counter([*heads, *(name for name, cells in rows if any(cells))])
    numbers = {
        (name, head): cell
        for name, cells in rows
        if times[name] == 1 and _OF_ALL.search(name)
        for head, cell in zip(heads, cells, strict=False)
        if head and times[head] == 1 and any(map(str.isdigit, cell))
    }
    compared = (name for name, cells in rows if sum(any(map(str.isdigit, cell)) for cell in cells) > 1)
    names = frozenset(name for name, _ in rows)
    return _Numbers(table.first, table.last, section_at(text, table.first), names, frozenset(compared), heads, numbers)


def _name(cell: str) -> str:
    return clean(cell).rstrip(": ").casefold()


def _agree(one: str, other: str) -> bool:
    """Return whether two numbers are the same but for their scale, and rounded to the digits of the shorter one.

    >>> _agree("$51.4 billion", "51,362"), _agree("$120", "$50"), _agree("12%", "$300")
    (True, False, True)
    """
    if ("%" in one) != ("%" in other):
        return True
    short, long = sorted((re.sub(r"\D", "", number).lstrip("0") for number in (one, other)), key=len)
    step = 10 ** (len(long) - len(short))
    return not short or str((2 * int(long) + step) // (2 * step)).startswith(short)
