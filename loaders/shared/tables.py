"""Tables: from HTML to rows of cells with one header row, and from rows to a pipe table.

The meaning of a table is kept: spanning cells are expanded, "$", "1,234" and ")" become one number, a header of several
rows becomes one ("Years ended" over "2031" is "Years ended 2031"), and a row's indentation stays as spaces.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple

from bs4 import Tag

from loaders.shared.fields import Refused, folded

MAX_CELLS, MAX_SPAN = 1_000_000, 100
MAX_HEADER = 8  # rows; a table of words alone would be all header
LEVEL = "  "  # a level of indentation in a pipe table's first column
_AMOUNT = re.compile(
    r"(?:[A-Z]{0,3} ?[$€£¥] ?)?[(\[]?[-−+]?(?:[$€£¥] ?)?\.?\d[\d.,]* ?(?:[%x]|bps|pts)?[)\]]?[*†]?|[-–—]{1,3}"
)
_MARK = re.compile(r"\(\d\)")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d|\(\d\)")
_WHEN = re.compile(r"\b(?:1[89]|20|21)\d\d\b|\b(?:quarter|months?|weeks?|years?|ended)\b|\bFY ?\d\d", re.IGNORECASE)
_UNIT = re.compile(r"\(?(?:dollars |amounts )?in (?:thousands|millions|billions)\b.*", re.IGNORECASE)
_OPENING = re.compile(r"[A-Z]{0,3} ?[$€£¥]|\(|[$€£¥] ?\(")
_CLOSING = re.compile(r"\)|\)? ?(?:%|pts|bps|x)\)?")
_LENGTH = re.compile(r"(-?[\d.]+)(pt|px|em|in|%)?")
_POINTS = {"pt": 1.0, "px": 0.75, "em": 10.0, "in": 72.0}


class Table(NamedTuple):
    """A table: the titles above its header, and its rows, with the header first."""

    titles: list[str]
    rows: list[list[str]]


class _Header(NamedTuple):
    """A cell of the first rows and its span of columns."""

    text: str
    first: int
    end: int


def cells(row: Tag) -> list[Tag]:
    """Return the cells of a row, without those of nested tables."""
    return [cell for cell in row.find_all(["td", "th"]) if cell.find_parent("tr") is row]


def read_table(table: Tag) -> Table:
    """Return the text of a table. A cell of several rows is repeated in each. Raises Refused if it is too large."""
    rows = table.find_all("tr")
    grid: list[dict[int, str]] = [{} for _ in rows]
    headers: list[list[_Header]] = [[] for _ in rows]
    size = width = 0
    for at, row in enumerate(rows):
        column = 0
        for cell in row.find_all(["td", "th"]):
            while column in grid[at]:
                column += 1
            across, down = _span(cell, "colspan"), min(_span(cell, "rowspan"), len(rows) - at)
            width, size = max(width, column + across), size + across * down
            if max(size, width * len(rows)) > MAX_CELLS:
                raise Refused("too large", f"a table of more than {MAX_CELLS:,} cells; split the document")
            text = folded(cell.get_text())
            for below in range(at, at + down):
                grid[below].update({column: text} | dict.fromkeys(range(column + 1, column + across), ""))
                headers[below].append(_Header(text, column, column + across))
            column += across
    whole = [[row.get(column, "") for column in range(width)] for row in grid]
    named = [{cell.name for cell in row.find_all(["td", "th"])} for row in rows]
    return _headed(whole, headers, [_indent(row) for row in rows], named)


def _headed(rows: list[list[str]], headers: list[list[_Header]], indents: list[float], named: list[set[str]]) -> Table:
    """Return the rows without empty rows and columns, and with one header row."""
    _join_spans(rows, {(cell.end - cell.first, cell.first) for row in headers[:4] for cell in row})
    _join_signs(rows)
    full = [at for at, row in enumerate(rows) if any(row)]
    kept = [column for column in range(len(rows[0])) if any(row[column] for row in rows)] if full else []
    titles = []
    while len(full) > 2 and kept and rows[full[0]][kept[0]] and not any(rows[full[0]][at] for at in kept[1:]):
        titles.append(rows[full.pop(0)][kept[0]])
    body = [[rows[at][column] for column in kept] for at in full]
    marked = sum(1 for _ in takewhile(lambda at: named[at] == {"th"}, full))  # what the page itself calls a header
    count = min(_header_rows(body), marked or MAX_HEADER)
    if count > 1:
        spread = [[_over(headers[at], rows[at], column) for column in kept] for at in full[:count]]
        body[:count] = [[_merged(list(filter(None, above))) for above in zip(*spread, strict=True)]]
    if count == 0 and len(body) > 1 and not any("th" in names for names in named):
        body, full = [[""] * len(kept), *body], [-1, *full]  # amounts are no header
    levels = sorted({indents[at] for at in full[count:]})
    for row, at in zip(body[1:], full[max(count, 1) :], strict=True):
        row[0] = LEVEL * levels.index(indents[at]) + row[0] if row[0] and indents[at] in levels else row[0]
    return Table(titles, body)


def _merged(above: list[str]) -> str:
    """Return the header of a column from its header rows, without repeated words ("Optum" over "Optum Health")."""
    ends = enumerate(above, 1)
    return " ".join(words for at, words in ends if not (at < len(above) and f"{above[at]} ".startswith(f"{words} ")))


def _over(header: list[_Header], row: list[str], column: int) -> str:
    """Return the text of a header row over a column: its own, or that of the cell that spans it."""
    return row[column] or next((row[cell.first] for cell in header if cell.first <= column < cell.end), "")


def _header_rows(rows: list[list[str]]) -> int:
    """Return the number of header rows: those of words before the first amount.

    After the first one, a row with a word in front is a header only if it has dates or names columns without a name.
    """
    count = 0
    for row in rows[:MAX_HEADER]:
        values = [cell for cell in row[1:] if cell]
        if not values or any(_AMOUNT.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in values):
            break
        stubs = [cell for earlier in rows[:count] for cell in earlier[:1] if cell]
        stub = row[0] if row[0] not in stubs else ""  # one cell in front of all header rows
        bare = any(not any(column) for column in zip(*(earlier[1:] for earlier in rows[:count]), strict=True))
        dated = all(_WHEN.search(value) or _UNIT.match(value) for value in values)
        under = not stub or dated or bare or any(_YEAR.fullmatch(value) for value in values)
        marked = all(_MARK.fullmatch(value) for value in values)  # of a row with a name these are amounts below zero
        if count and (not under or (stub and marked) or (stubs if stub else len(values) < 2 and not dated)):
            break
        count += 1
    return count if count < len(rows) else 1


def _join_spans(rows: list[list[str]], spans: set[tuple[int, int]]) -> None:
    """Join "$", "1,234" and "%" under one header into one cell."""
    for across, first in sorted(spans):
        under = slice(first, first + across)
        if across > 1 and all(sum(any(map(str.isalnum, cell)) for cell in row[under]) <= 1 for row in rows):
            for row in rows:
                row[under] = ["".join(row[under])] + [""] * (across - 1)


def _join_signs(rows: list[list[str]]) -> None:
    """Join columns of only "$" to the amount after them, and each ")" and "%" to the amount before it."""
    for column in range(1, len(rows[0]) if rows else 0):
        held = {row[column] for row in rows if row[column]}
        after = column + 1 < len(rows[0]) and held and all(map(_OPENING.fullmatch, held))
        only = held and all(map(_CLOSING.fullmatch, held))
        for row in rows:
            if not row[column]:
                continue
            before = next((at for at in range(column - 1, 0, -1) if row[at]), column - 1)
            closes = row[column].strip("()% ") == "" and _AMOUNT.fullmatch(row[before] + row[column])
            if after or closes or (only and row[column - 1]):
                to = column + 1 if after else before
                row[to] = row[column] + row[to] if after else row[to] + row[column]
                row[column] = ""


def _indent(row: Tag) -> float:
    """Return the indentation of the first cell's text, in points."""
    cell = row.find(["td", "th"])
    if not isinstance(cell, Tag):
        return 0.0
    inner = cell.find(["div", "p"])
    return sum(_left(str(tag.get("style") or "")) for tag in (cell, inner) if isinstance(tag, Tag))


def _left(style: str) -> float:
    """Return the left padding, margin and text indent of a style, in points."""
    properties = {name.strip().lower(): value for name, _, value in (part.partition(":") for part in style.split(";"))}
    sides = [properties.get(name, "").split() for name in ("padding", "margin")]
    lengths = [side[3] if len(side) == 4 else side[1] if len(side) in (2, 3) else "" for side in sides]
    lengths += [properties.get(name, "") for name in ("padding-left", "margin-left", "text-indent")]
    sizes = (_LENGTH.fullmatch(length.strip()) for length in lengths)
    return sum(float(size[1]) * _POINTS.get(size[2] or "pt", 0) for size in sizes if size and size[1].count(".") < 2)


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name, ""))
    return min(max(int(value), 1), MAX_SPAN) if re.fullmatch("[0-9]{1,9}", value) else 1


def pipe_table(rows: list[list[str]]) -> str:
    """Return a Markdown table with the first row as header."""
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([*lines[:1], "|" + " --- |" * len(rows[0]), *lines[1:]])
