"""From the words on the pages of a PDF to its text: lines, tables, columns, running lines, hyphens."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from loaders.shared.fields import folded
from loaders.shared.tables import pipe_table

if TYPE_CHECKING:
    from pdfplumber.page import Page

Box: TypeAlias = tuple[float, float, float, float]
MAX_EDGES = 5_000  # of a page; the table finder compares all pairs, and maps and plots have more than any table
SPACE = 0.15  # share of a character's size: TeX has no spaces between words, and the gap grows with the font
BULLET = re.compile(r"[•▪●◦‣–*-]\s|\(?(?:\d{1,3}|[a-z])[.)]\s")
SAME_EDGES = 4  # points, of both sides together
MARGIN = 0.1  # of a page's height, at its top and at its foot
_PAGE_NUMBER = re.compile(r"^\W*(\d{1,6})\b|\b(\d{1,6})(?:\s*(?:of|/)\s*\d{1,6})?\W*$")  # at an end of its line
_NUMBER = re.compile(r"\b(?!(?:19|20)\d\d\b)\d")
SOFT = "\xad"
HYPHEN = re.compile(rf"(?<=[^\W\d_])[-\u2010{SOFT}]$")
_BEGUN, _REST = re.compile(r"(?:\w+[-\u2010])*\w+[-\u2010]$"), re.compile(r"\w+(?:[-\u2010]\w+)*")
_SUSPENDED = re.compile(r"(?:and|or)\b")  # what follows the hyphen of "short- and long-term"
CLEAN, NO_DIGITS = str.maketrans("\f\r\n\xa0", "    ", "\0"), str.maketrans("", "", "0123456789")


class PdfLine(NamedTuple):
    """A line of text, or a whole table. `cells` if wide gaps divide it, as in a table without rules."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    cells: bool = False
    table: bool = False


def _height(line: PdfLine) -> float:
    return line.bottom - line.top


def lines_of(page: Page) -> list[PdfLine]:
    """Return lines and tables in drawing order, which separates columns, or from top to bottom if that order jumps."""
    places = {(char["text"], round(char["x0"]), round(char["top"])) for char in page.chars}
    if len(places) < 0.99 * len(page.chars):  # some programs draw bold text twice
        page = page.dedupe_chars()
    tables = _tables(page)
    lines = _lines(page.extract_words(use_text_flow=True, x_tolerance_ratio=SPACE), tables)
    jumps = sum(below.bottom < above.top for above, below in pairwise(lines))
    return lines if jumps <= len(lines) / 4 else _lines(page.extract_words(x_tolerance_ratio=SPACE), tables)


def text_of(pages: list[list[PdfLine]], heights: list[float]) -> str:
    """Return the text of a document's pages, with form feeds between them; `heights` are those of the pages."""
    pages = _with_headers(_without_running_lines(pages, heights))
    hyphens = _Hyphens(pages)
    return "\f".join(_page_text(page, hyphens) for page in pages)


def _tables(page: Page) -> list[tuple[list[Box], PdfLine]]:
    """Return the ruled tables, each with the boxes of its cells."""
    tables: list[tuple[list[Box], PdfLine]] = []
    for table in page.find_tables() if len(page.edges) <= MAX_EDGES else []:
        cells = [
            [folded((cell or "").translate(CLEAN)) for cell in row] for row in table.extract(x_tolerance_ratio=SPACE)
        ]
        filled = sum(bool(cell) for row in cells for cell in row)
        columns = [column for column in range(len(cells[0])) if any(row[column] for row in cells)]
        rows = [[row[column] for column in columns] for row in cells if any(row)]
        if len(rows) > 1 and len(columns) > 1 and filled * 2 >= len(table.cells):  # a spanning cell counts once
            tables.append((table.cells, PdfLine(pipe_table(rows), *table.bbox, table=True)))
    return tables


def _lines(words: list[dict[str, Any]], tables: list[tuple[list[Box], PdfLine]]) -> list[PdfLine]:
    lines: list[PdfLine] = []
    before = None
    for word in words:
        text = re.sub(r"\(cid:\d+\)", "", word["text"].translate(CLEAN))  # a sign that the font does not name
        here = PdfLine(text, word["x0"], word["top"], word["x1"], word["bottom"])
        table = next((table for cells, table in tables if _inside(here, table, cells)), None)
        if table:
            lines += [] if table in lines else [table]
        elif text.strip():
            last = lines[-1] if lines else None
            if last and _level(last, here):
                gap = 0 if BULLET.fullmatch(f"{last.text} ") else here.left - last.right
                tall = max(last, here, key=_height)  # a raised number makes no line higher
                across = (last.left, tall.top, max(last.right, here.right), tall.bottom)
                space = "" if before and _small_capitals(before, here) else " "
                lines[-1] = PdfLine(f"{last.text}{space}{text}", *across, last.cells or gap > 1.5 * _height(here))
            else:
                lines.append(here)
            before = here
    return lines


def _small_capitals(initial: PdfLine, rest: PdfLine) -> bool:
    """Return whether a capital and the smaller capitals behind it are one word, which some programs set apart."""
    apart = rest.left - initial.right
    return (
        len(initial.text) == 1
        and initial.text.isupper()
        and rest.text[:2].isupper()
        and _height(rest) < 0.85 * _height(initial)
        and apart < _height(rest)
    )


def _inside(word: PdfLine, table: PdfLine, cells: list[Box]) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    near = table.left <= x <= table.right and table.top <= y <= table.bottom  # spares most words most cells
    return near and any(left <= x < right and top <= y < bottom for left, top, right, bottom in cells)


def _level(line: PdfLine, word: PdfLine) -> bool:
    """Return whether the word continues the line."""
    shared, height = min(line.bottom, word.bottom) - max(line.top, word.top), min(_height(line), _height(word))
    return not line.table and shared > 0.3 * height and word.left > line.right - height


def _without_running_lines(pages: list[list[PdfLine]], heights: list[float]) -> list[list[PdfLine]]:
    """Return the pages without headers and footers that most pages share, apart from digits.

    In a few pages they may be coincidence.
    """
    for at in (0, -1) if len(pages) > 3 else ():
        lines = [sorted((line for line in page if not line.table), key=attrgetter("top")) for page in pages]
        alike: dict[str, list[_End]] = defaultdict(list)
        for number, page in enumerate(lines):
            if len(page) > 1:  # a page of one line would lose all
                edge = min(page[at].top, heights[number] - page[at].bottom)
                alike[page[at].text.translate(NO_DIGITS)].append(_End(page[at], number, edge, heights[number]))
        found = (_running(ends, foot=at < 0) for ends in alike.values() if len(ends) > len(pages) / 2)
        running = {id(end.line) for ends in found for end in ends}
        pages = [[line for line in page if id(line) not in running] for page in pages]
    return pages


class _End(NamedTuple):
    """The first or last line of a page, the page's number and height, and how far from its edge the line stands."""

    line: PdfLine
    page: int
    edge: float
    height: float


def _running(ends: list[_End], *, foot: bool) -> list[_End]:
    """Return which of the first or last lines that are alike apart from digits run through the document.

    Those are: lines with the same digits, last lines that count the pages (a page of a filing ends where its text
    does), and in the margin also first lines that do, and lines at one height. "Total: 5" and "Total: 9" are no such.
    """
    texts = Counter(end.line.text for end in ends)
    counted = _count_pages(ends)
    if 2 * max(texts.values()) > len(ends) or (counted and foot):
        return ends
    usual = median(end.edge for end in ends)
    inside = [end for end in ends if end.edge < MARGIN * end.height]
    return [end for end in inside if counted or abs(end.edge - usual) < SAME_EDGES]


def _count_pages(ends: list[_End]) -> bool:
    """Return whether most lines have the number after that of the line before, or one as many later as pages are."""
    found = [{int(one[1] or one[2]) for one in _PAGE_NUMBER.finditer(end.line.text)} for end in ends]
    steps = 0
    for at, end in enumerate(ends[1:], 1):
        later = (1, end.page - ends[at - 1].page)
        steps += any(number - step in found[at - 1] for number in found[at] for step in later)
    return 2 * steps > len(ends) - 1


def _with_headers(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Return the pages with the header of a table above what goes on of it on the next page without one.

    It goes on where one page ends and the next begins with tables of the same columns, and the second has no header of
    its own: no first row without numbers, but years, above rows with them.
    """
    for before, page in pairwise(pages):
        if not (before and page and before[-1].table and page[0].table):
            continue
        (head, line, *_), (first, _, *rest) = before[-1].text.split("\n"), page[0].text.split("\n")
        edges = abs(before[-1].left - page[0].left) + abs(before[-1].right - page[0].right)
        own = not _NUMBER.search(first) and any(_NUMBER.search(row) for row in rest)
        if head.count("|") == first.count("|") and edges < SAME_EDGES and not own and first != head:
            page[0] = page[0]._replace(text="\n".join((head, line, first, *rest)))
    return pages


class _Hyphens:
    """What the hyphen at the end of a line is: a word's own, as in "long-term", or one that only breaks the word.

    The document says so, where it has the word elsewhere; for other words, what most of its lines end with is taken.
    """

    def __init__(self, pages: list[list[PdfLine]]) -> None:
        self._words = Counter(word.lower() for page in pages for line in page for word in _REST.findall(line.text))
        known = [self._known(above.text, line.text) for page in pages for above, line in pairwise(page)]
        self._usual = known.count(True) > known.count(False)

    def own(self, text: str, below: str) -> bool:
        """Return whether the hyphen at the end of a text is a word's own, which goes on in the line below."""
        known = self._known(text, below)
        return self._usual if known is None else known

    def _known(self, text: str, below: str) -> bool | None:
        """Return what the document says, or None if no word is broken or the document has it nowhere else."""
        begun, rest = _BEGUN.search(text[-100:]), _REST.match(below)
        if not (begun and rest and below[0].islower()):
            return None
        whole = self._words[f"{begun[0]}{rest[0]}".lower()]
        joined = self._words[f"{begun[0][:-1]}{rest[0]}".lower()]
        return None if whole == joined else whole > joined


def _page_text(page: list[PdfLine], hyphens: _Hyphens) -> str:
    """Return the page's text, with the lines of a paragraph joined and blank lines between paragraphs."""
    usual = median([below.top - above.bottom for above, below in pairwise(page) if below.top > above.top] or [0])
    text = page[0].text if page else ""
    for above, line in pairwise(page):
        if not _continues(above, line, usual):
            text += ("\n" if above.cells and line.cells else "\n\n") + line.text
        elif HYPHEN.search(text) and line.text[0].islower() and not _SUSPENDED.match(line.text):
            own = text[-1] != SOFT and hyphens.own(text, line.text)
            text = (text if own else text[:-1]) + line.text
        else:
            text += " " + line.text
    return text


def _continues(above: PdfLine, line: PdfLine, usual: float) -> bool:
    """Return whether the line continues the paragraph of the one above, at most double-spaced."""
    high, low = _height(above), _height(line)
    apart = above.table or line.table or above.cells or line.cells or BULLET.match(line.text)
    if apart or abs(high - low) > 0.15 * high:
        return False
    lower = line.text[0].islower()
    if line.bottom < above.top:  # the next column
        return lower
    right, left = max(above.right, line.right), min(above.left, line.left)
    short = (right - above.right) / (right - left or 1)
    ended = short > 0.1 and above.text[-1] in ".!?:"
    return line.top - above.bottom <= min(usual, 1.3 * high) + 0.3 * high and not ended and (lower or short < 0.35)
