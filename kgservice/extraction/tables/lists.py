"""Tables of ordinary documents (manuals, READMEs, web pages): which of them list things with their values.

Such a document is about no one thing, so that only the table's shape can tell what it states. It lists things if the
first column names each row once under a name of its own, and every other column has a name. A column holds values if
nearly all of its cells are of one kind: numbers, dates or names. Sentences, marks and several values in one cell state
nothing that a fact could hold, nor does a table that compares (its columns are names themselves). A row is told apart
from those of other tables by where the table stands: under which heading of which document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from kgservice.extraction.tables.cells import KNOWN, Head, TableRow, clean, split
from kgservice.text.chunking import tables
from kgservice.text.english import is_made
from kgservice.text.values import quantity, read_value

_Kind: TypeAlias = Literal["", "value", "name", "phrase", "several", "mark"]

MOST = 0.8  # of a column's cells that are of one kind
LEAST_ROWS, LEAST_WORDS = 2, 3
MAX_NAME, MAX_HEAD, MAX_PLACE, MAX_HEADINGS = 5, 4, 60, 3  # words, words (RARE, appendix A.2), characters
NAMING = frozenset(("name", "title"))
_TAG, _PICTURE = re.compile(r"<[^<>]*>"), re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_EDGE = re.compile(r"^[^\w(\[{<.@$/~-]+|[^\w)\]}>.!?+*'\"-]+$")
_HEADING = re.compile(r"(?m)^(#{1,6}) +(.*?)#* *$")
_BOLD = re.compile(r"\*\*|__|<b>")
_PARTS = re.compile(r"\s+[–—|-]\s+|: ")
_STOP = re.compile(r"[.!?;…](?:\s|$)")
_NOUN = re.compile(r"[A-Za-z-]+(?: [A-Za-z-]+){0,2}")
_LISTED = re.compile(r"(?P<name>.+) \((?P<noun>[a-z][^()]*)\) of (?P<place>.+)")
_LIST = re.compile(r", |; | · | • |\n")


class TablePlace(NamedTuple):
    """Where a table stands: under which heading of which document ("" where nothing short tells it).

    `repeated`: the names of rows that several tables under that heading have; `text`: the document's.
    """

    said: str
    repeated: frozenset[str]
    text: str


class Columns(NamedTuple):
    """How a table's columns read: `fault` where it lists no things, else what each column after the first holds.

    `apart`: the names of rows that are no things of the list; `repeated`: of those that other tables have, too.
    """

    fault: str
    kinds: list[_Kind]
    apart: frozenset[str]
    repeated: frozenset[str]

    def refuse(self, name: str, at: int, cell: str) -> str:
        """Return why the cell of a row, by its name, and a column (the first is 1) states no value, "" if it does."""
        if name in self.apart or name in self.repeated:
            return "a row set apart" if name in self.apart else "a row of other tables too"
        kind = self.kinds[at - 1] if at <= len(self.kinds) else ""
        if self.fault or not kind:
            return self.fault or "a column of several kinds"
        if kind in ("phrase", "mark", "several"):
            return {"phrase": "a column of text", "mark": "a column of marks", "several": "several values"}[kind]
        return "its row's own name" if cell == name else "" if _kind(cell) == kind else "not of its column's kind"


class ListedRow(NamedTuple):
    """A row that its table tells: its name, what the table calls its rows, and whose they are.

    `place` is the thing that the document is about ("Acme"), or in quotation marks where the table stands.
    """

    name: str
    noun: str
    place: str

    @property
    def label(self) -> str:
        """Return the name of its entity: "Cement (product) of Acme", "timeout (option) of “serve, Acme server”"."""
        return f"{self.name} ({self.noun}) of {self.place}"

    @property
    def is_part(self) -> bool:
        """Return whether it is a part of a thing, not told by where its table stands."""
        return not self.place.startswith("“")

    @property
    def said(self) -> str:
        """Return the row without its place: "the option timeout".

        A noun that says nothing ("name") or is no plain one ("process description/doc link") is left out.
        """
        plain = _NOUN.fullmatch(self.noun) is not None and self.noun not in NAMING
        return f"the {self.noun} {self.name}" if plain else self.name

    @property
    def spoken(self) -> str:
        """Return the row as a question says it: "the product Cement of Acme", "the option timeout in “serve, Acme”"."""
        return f"{self.said} {'of' if self.is_part else 'in'} {self.place}"


def row_at(name: str, noun: str, place: str) -> ListedRow:
    """Return the row of a table by where it stands: under which heading of which document."""
    return ListedRow(name, noun, f"“{place}”")


def listed_row(label: str) -> ListedRow | None:
    """Return the row that a label names, None if it names none."""
    found = _LISTED.fullmatch(label)
    return ListedRow(**found.groupdict()) if found else None


def read_columns(header: Sequence[Head], body: Sequence[TableRow], place: TablePlace) -> Columns:
    """Return how the columns of a table read, from its shape and place."""
    width = max((len(row.cells) for row in body), default=0)
    filled = [[row.cells[at] for row in body if at < len(row.cells) and row.cells[at]] for at in range(width)]
    kinds = [_column(cells) for cells in filled]
    return Columns(_fault(header, body, place.text), kinds, _apart(body), place.repeated)


def find_place(section: str, title: str, text: str, at: int) -> TablePlace:
    """Return the place of the table at an offset of a document's text, under a section of it.

    A heading that the document has several times is told by the one above it.
    """
    outline, found = _outline(text), list[str]()
    for heading in map(_words, reversed(section.split(" > "))):
        found.append(heading)
        if outline.times[heading] <= 1:
            break
    name = _words(title)
    name = _PARTS.split(name)[0] if len(name) > MAX_PLACE else name
    told = [heading for heading in found if not re.search(rf"(?i)(?<!\w){re.escape(heading)}(?!\w)", name)]
    short = len(told) < MAX_HEADINGS and all(len(part) <= MAX_PLACE for part in (*told, name))
    said = ", ".join(filter(None, [*told, name]))
    return TablePlace(said if short and _tells(said) else "", outline.repeated[bisect_right(outline.starts, at)], text)


def section_at(text: str, at: int) -> str:
    """Return the headings above an offset of a text, from the widest to the nearest, as a chunk has them."""
    starts, sections = _sections(text)
    before = bisect_right(starts, at)
    return sections[before - 1] if before else ""


@lru_cache(maxsize=8)
def _sections(text: str) -> tuple[list[int], list[str]]:
    """Return where each heading stands, and with which ones above it."""
    starts, sections, above = list[int](), list[str](), list[tuple[int, str]]()
    for heading in _HEADING.finditer(text):
        depth = len(heading[1])
        above = [*(one for one in above if one[0] < depth), (depth, heading[2].strip())]
        starts.append(heading.start())
        sections.append(" > ".join(name for _, name in above))
    return starts, sections


def _tells(place: str) -> bool:
    """Return whether a place is told apart from those of other documents: by words enough, or by one that is a name.

    "Contributors" and "Performance" are in any document, "orjson" and "HTTPServer" in one.
    """
    words = re.findall(r"[^\W\d_][\w.-]*", place)
    return len(words) >= LEAST_WORDS or any(is_made(word) for word in words) or (place[:1].islower())


class _Outline(NamedTuple):
    """A document's headings: where they start, how often each is there, and which rows are in several tables below."""

    starts: list[int]
    times: Counter[str]
    repeated: dict[int, frozenset[str]]


@lru_cache(maxsize=8)
def _outline(text: str) -> _Outline:
    headings = list(_HEADING.finditer(text))
    starts = [one.start() for one in headings]
    under: dict[int, Counter[str]] = defaultdict(Counter)
    for table in tables(text):
        lines = text[table.first : table.last].split("\n")[2:]
        names = {clean((split(line.strip()) or [""])[0]) for line in lines}
        under[bisect_right(starts, table.first)].update(names)
    twice = {at: frozenset(name for name, times in names.items() if times > 1) for at, names in under.items()}
    return _Outline(starts, Counter(_words(one[2]) for one in headings), defaultdict(frozenset, twice))


def _fault(header: Sequence[Head], body: Sequence[TableRow], text: str) -> str:
    """Why a table lists no things, "" if it does."""
    heads = [head.name for head in header]
    if heads and not heads[0] and all(map(KNOWN.search, heads[1:])):  # the rows are what has these measures
        del heads[0]
    names = [row.head.name for row in body]
    if len(body) < LEAST_ROWS:
        return "a single row"
    if any(not re.search(r"[^\W\d_]", name) or len(name.split()) > MAX_HEAD for name in heads):
        return "columns without names"
    if len({name.lower() for name in heads}) < len(heads) or len(set(names)) < MOST * len(names):
        return "names that repeat"
    if sum(_kind(name) in ("name", "value") for name in names) < MOST * len(names):
        return "rows without names"
    compared = [head.name for head in header[1:] if _is_name(head.measure if head.dated else head.name, text)]
    return "a comparison" if 2 * len(compared) > len(header) - 1 else ""


def _apart(body: Sequence[TableRow]) -> frozenset[str]:
    """Return the names of the few rows whose name alone is in bold print: a sum, what a function returns."""
    bold = frozenset(row.head.name for row in body if _BOLD.match((split(row.line) or [""])[0].strip()))
    return bold if 2 * len(bold) < len(body) else frozenset()


def _column(cells: Sequence[str]) -> _Kind:
    """Return what a column holds: the kind of nearly all of its cells; phrases that come again and again are names."""
    kinds = Counter(_kind(cell) for cell in cells)
    if not cells:
        return ""
    kind, times = max(kinds.items(), key=lambda item: (item[1], item[0]))
    return kind if times >= MOST * len(cells) else ""


def _kind(cell: str) -> _Kind:
    """Return what a cell holds: a number or a date, a name, several of them, a mark, or text."""
    if quantity(cell, "") or read_value(cell)[0] != "entity":
        return "value"
    words = cell.split()
    if not re.search(r"\w", cell) or cell.lower() in ("yes", "no"):
        return "mark"
    if len(words) == 1:
        return "name" if len(cell) <= MAX_PLACE else "phrase"
    if _LIST.search(cell) and not re.fullmatch(r"[^,;]*[\[(][^\])]*[\])]+", cell):
        return "phrase" if _STOP.search(cell) else "several"
    plain = sum(word[:1].islower() and word.isalpha() for word in words)
    return "name" if len(words) <= MAX_NAME and not _STOP.search(cell) and 3 * plain <= len(words) else "phrase"


def single_value(cell: str) -> bool:
    """Return whether a cell holds one value or name: no text, no list and no mark."""
    return _kind(cell) in ("value", "name")


def _is_name(head: str, text: str) -> bool:
    """Return whether a cell is the name of a thing: written as one ("macOS", "S3Path"), or as the text always writes
    it."""
    if is_made(head.split(" ", maxsplit=1)[0]):  # "S3Path", "macOS 12", but "area in km2"
        return True
    found = Counter(one[0] for one in re.finditer(rf"(?<=[a-z,] )(?i:{re.escape(head)})\b", text))
    return head[:1].isupper() and bool(found[head]) and not found[head.lower()]


def _words(heading: str) -> str:
    """Return a heading or title without markup, pictures and signs around it."""
    plain = _LINK.sub(r"\1", _PICTURE.sub("", _TAG.sub("", heading))).replace("`", "").replace("*", "")
    return _EDGE.sub("", " ".join(plain.split())).strip()
