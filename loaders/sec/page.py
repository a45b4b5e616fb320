"""A filing as an HTML page: its lines, its printed pages, repeated lines, and its headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, takewhile
from typing import NamedTuple

from bs4 import Tag
from bs4.element import NavigableString, PageElement

from loaders.html import HtmlPage
from loaders.sec.sections import FilingLine, Section, marked, names_item, part, statements_title
from loaders.shared.fields import folded

BREAK = "\ue000"  # marks the end of a printed page until the text is Markdown
COVER = 100  # first lines whose bold text is no heading, if no Item begins the text
LISTED = 5  # least rows with an Item in a table of contents
EDGE = 4  # lines at the top and the foot of a page that may be repeated ones
LEAST, MOST = 3, 0.8  # pages of an Item with one scale at their edges, and their share of the pages with any scale
LINES = {
    "p",
    "div",
    "tr",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "center",
    "caption",
    "body",
    "dd",
    "dt",
    "td",
    "th",
}
CONTENTS = re.compile(r"(?:back to |return to )?(?:the )?(?:table of )?contents|index", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:page\s*)?[-–—|\s]*(?:[A-Z]{1,2}-)?(?:\d{1,4}|[ivxl]{1,7})[-–—|\s]*", re.IGNORECASE)
_SCALE = re.compile(r"\bin (?:US )?(?:\$ ?|dollars )?(?:thousands|millions|billions)\b", re.IGNORECASE)
_NUMBER = re.compile(r"^\d{1,4}\s+|\s+\d{1,4}$")
_BROKEN = re.compile(r"(?:page-)?break-(before|after)\s*:\s*(?:always|page)", re.IGNORECASE)
_HEADING = re.compile(r"[^\W\d_]{3}.*[^.;:,]$")
_PADDED = re.compile(r"(?:padding|margin)-left\s*:\s*[1-9]", re.IGNORECASE)
_RAISED = re.compile(r"\btop\s*:\s*-[0-9.]+pt|vertical-align\s*:\s*super", re.IGNORECASE)
_ABOVE = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)|font\s*:[^;]*\bbold\b", re.IGNORECASE)


class Block(NamedTuple):
    """A line of the page: its element, its text, the start of its source, its printed page, its strings.

    A row is `tabular` if its table has other rows with words. A line is `bare` if its element holds other lines too,
    as the <div> of a page in which "Table of Contents" stands beside paragraphs: then only its strings are its own.
    """

    tag: Tag
    text: str
    start: int
    page: int
    tabular: bool
    strings: tuple[NavigableString, ...]
    bare: bool = False

    def line(self) -> FilingLine:
        """Return the line without its element."""
        return FilingLine(self.text, self.start, self.tabular)

    @property
    def first(self) -> PageElement:
        """Return the element of the line, or its first string where the element holds other lines."""
        return self.strings[0] if self.bare else self.tag

    def remove(self) -> None:
        """Remove the line from the page, and no other line."""
        if not self.bare:
            self.tag.decompose()
        for string in self.strings if self.bare else ():
            string.extract()


def break_pages(page: HtmlPage) -> None:
    """Insert a mark at the end of each printed page: at rules and styles that break pages."""
    for tag in page.find_all(style=_BROKEN):
        style = _BROKEN.search(str(tag["style"]))
        mark = Tag(name="p")
        mark.string = BREAK
        if tag.find_parent("table"):
            continue
        if tag.name == "hr":
            tag.replace_with(mark)
        elif style and style[1].lower() == "before":
            tag.insert_before(mark)
        else:
            tag.insert_after(mark)


def set_spaces(page: HtmlPage) -> None:
    """Insert a space where only padding separates words, as after "(1)" or "Item 1."."""
    for tag in page.find_all("span", style=_PADDED):
        if tag.previous_sibling is not None:
            tag.insert_before(" ")


def set_notes(page: HtmlPage) -> None:
    """Write the number of a note that stands above the line as one: "assets¹" in place of "assets1"."""
    for tag in page.find_all("span", style=_RAISED):
        number = tag.get_text().strip()
        if re.fullmatch("[0-9]{1,2}", number):
            tag.string = number.translate(_ABOVE)


def blocks(page: HtmlPage) -> list[Block]:
    """Return the lines of the page in order. A row of a table is one line."""
    starts = [0]
    for line in page.source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    lines: list[Block] = []
    around: set[int] = set()  # the elements with a line within them
    own: Counter[int] = Counter()  # by element: its lines
    tall: dict[int, bool] = {}  # by table: whether it has enough rows
    number = 0
    found = ((_line_of(string), string) for string in _strings(page))
    for _, group in groupby(found, key=lambda pair: id(pair[0])):  # by identity: elements of equal content are equal
        (tag, first), *rest = group
        strings = (first, *(string for _, string in rest))
        text = folded((" " if tag.name == "tr" else "").join(strings))
        if text:
            own[id(tag)] += 1
            around.update(id(parent) for parent in takewhile(lambda parent: id(parent) not in around, tag.parents))
        if text == BREAK:
            number += 1
        elif text:
            start = starts[(tag.sourceline or 1) - 1] + (tag.sourcepos or 0)
            lines.append(Block(tag, text, start, number, _tabular(tag, tall), strings))
    return [line._replace(bare=id(line.tag) in around or own[id(line.tag)] > 1) for line in lines]


def _tabular(tag: Tag, tall: dict[int, bool]) -> bool:
    table = tag.find_parent("table") if tag.name == "tr" else None
    if table is None:
        return False
    if id(table) not in tall:
        tall[id(table)] = sum(bool(row.get_text(strip=True)) for row in table.find_all("tr")) > 2
    return tall[id(table)]


def _strings(page: HtmlPage) -> Iterator[NavigableString]:
    return (item for item in page.descendants if isinstance(item, NavigableString) and item.strip("\n"))


def _line_of(item: PageElement) -> Tag:
    """Return the element of a text's line: the row in a table, else the nearest block."""
    row = block = None
    for parent in item.parents:
        if parent.name == "table":
            break
        row = parent if parent.name == "tr" else row
        block = block or (parent if parent.name in LINES else None)
    element = row or block or item.find_parent()
    return element if isinstance(element, Tag) else Tag(name="p")


def furniture(found: list[Block]) -> list[Block]:
    """Return the lines at the edges of pages that are page numbers, links to the contents, or repeated often."""
    edges: list[Block] = []
    for _, group in groupby(found, key=lambda block: block.page):
        lines = list(group)
        top, foot = lines[:EDGE], lines[EDGE:][-EDGE:]
        edges += [*_leading(top), *_leading(foot[::-1])]
    pages = found[-1].page + 1 if found else 0
    times = Counter({text: len({block.page for block in same}) for text, same in _by_text(edges).items()})
    often = max(4, pages // 10)
    return [block for block in edges if _stamp(block.text) or times[_without_digits(block.text)] >= often]


def scales(edges: list[Block], found: list[Block], heads: list[int]) -> dict[int, str]:
    """Return the scale of amounts at the edges of pages ("(Dollars in Millions)"), by the lines of Items' headings.

    An Item has one only if nearly all of its pages with a scale agree.
    """
    places = {id(block): at for at, block in enumerate(found)}
    under: dict[int, Counter[str]] = {}
    for block in edges:
        at = bisect_right(heads, places[id(block)]) - 1
        if at >= 0 and _SCALE.search(block.text):
            under.setdefault(heads[at], Counter())[_NUMBER.sub("", block.text)] += 1
    most = {head: counts.most_common(1)[0] for head, counts in under.items()}
    return {head: text for head, (text, times) in most.items() if times >= max(LEAST, MOST * under[head].total())}


def contents(found: list[Block], items: list[Section]) -> list[Tag]:
    """Return the tables of contents: those that list Items and do not replace headings."""
    rows = [block.tag.find_parent("table") for block in found if block.tag.name == "tr" and names_item(block.text)]
    kept = {id(found[item.line].tag.find_parent("table")) for item in items}
    tables = {id(table): table for table in rows if isinstance(table, Tag) and id(table) not in kept}
    times = Counter(map(id, rows))
    return [table for key, table in tables.items() if times[key] >= LISTED]


def _by_text(edges: list[Block]) -> dict[str, list[Block]]:
    same: dict[str, list[Block]] = {}
    for block in edges:
        same.setdefault(_without_digits(block.text), []).append(block)
    return same


def _leading(edge: list[Block]) -> list[Block]:
    """Return the lines of an edge up to the first that is long, tabular, or a heading of a part or an Item."""
    kept: list[Block] = []
    for block in edge:
        if len(block.text) > 150 or part(block.text) or block.tabular:
            break
        kept.append(block)
    return kept


def _without_digits(text: str) -> str:
    return re.sub(r"\d+", "0", text.lower())


def _stamp(text: str) -> bool:
    return bool(CONTENTS.fullmatch(text) or _NUMBERED.fullmatch(text))


def set_headings(found: list[Block], items: list[Section], begin: int, scale: dict[int, str]) -> None:
    """Turn Items, parts and bold lines into headings of the page. Item 8 also heads line `begin`, unless it is -1.

    `scale` is inserted below the headings of these lines.
    """
    first = items[0].line if items and not items[0].indexed else COVER
    heads = {item.line: item for item in items if not item.indexed}
    for at, block in enumerate(found):
        if block.first.decomposed or block.first.parent is None:
            continue
        if 0 <= begin <= at:
            table = block.tag.find_parent("table") if block.tag.name == "tr" else None
            inserted = [_made("h2", statements_title(items)), *([_made("p", scale[begin])] if begin in scale else [])]
            (table or block.first).insert_before(*inserted)
            begin = -1
        if at in heads:
            heading = _set_item(found, at, heads[at])
            if at in scale:
                heading.insert_after(_made("p", scale[at]))
        elif name := part(block.text) if at + 1 >= first else "":
            _become(block, "h1", name)
        elif at > first and _bold(block):
            _become(block, "h3", block.text)


def _set_item(found: list[Block], at: int, item: Section) -> Tag:
    """Return the heading of an Item.

    A title on the next line is moved into it, text on the same line stays below it.
    """
    title = marked(item)
    block, text = found[at], found[at].text
    if len(text) > len(item.title):
        block.first.insert_before(heading := _made("h2", title))
        for piece in block.strings:
            if piece.strip() and item.title.startswith(folded(piece)):
                piece.extract()
        return heading
    if len(text) < len(item.title):
        found[at + 1].remove()
    return _become(block, "h2", title)


def _become(block: Block, name: str, text: str) -> Tag:
    """Replace the line by a heading, or its table if that has no other row with words. Return the heading."""
    table = block.tag.find_parent("table") if block.tag.name == "tr" else None
    heading = _made(name, text)
    (table or block.first).insert_before(heading)
    block.remove()
    if table is None:
        return heading
    if not table.get_text(strip=True):
        table.decompose()
    return heading


def _made(name: str, text: str) -> Tag:
    tag = Tag(name=name)
    tag.string = text
    return tag


def _bold(block: Block) -> bool:
    """Return whether a line is short, all bold, outside tables and no sentence."""
    if (
        block.tag.name not in ("p", "div")
        or len(block.text) > 150
        or not re.search(r"[^\W\d_]{3}.*[^.;:,]$", block.text)
    ):
        return False
    if block.text[0] in "(•*" or block.tag.find_parent("table") or block.tag.find("table"):
        return False
    return all(_in_bold(piece, block.tag) for piece in block.strings if piece.strip())


def _in_bold(piece: NavigableString, block: Tag) -> bool:
    for parent in piece.parents:
        if _BOLD.search(str(parent.attrs.get("style") or "")):
            return True
        if parent is block:
            break
    return False
