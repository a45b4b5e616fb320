"""The Items of a 10-K: their headings, their beginnings and ends, and which are incorporated by reference.

A filing names its Items several times: in its table of contents, in references, at the top of pages. The headings are
the chain of lines in the form's order with the most text under it. A filing may have an index instead ("Form 10-K
cross-reference index"). Then its rows are the sections and give the place of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import log2
from typing import NamedTuple

# The form's Items with how their titles begin; 1C, 9C and 16 came in 2023, 2021 and 2016.
TITLES = {
    "1": r"business|general|description of business",
    "1A": r"risk factors|certain risk|factors that|cautionary",
    "1B": r"unresolved",
    "1C": r"cyber ?security",
    "2": r"properties|property|description of property",
    "3": r"legal",
    "4": r"mine safety|submission of matters|\W*(?:removed and )?reserved",
    "5": r"market for|market price",
    "6": r"selected|\W*reserved|\W*removed|consolidated selected",
    "7": r"management",
    "7A": r"quantitative|qualitative",
    "8": r"financial statements|consolidated financial",
    "9": r"changes in|disagreements",
    "9A": r"controls? and|disclosure controls|evaluation of",
    "9B": r"other info",
    "9C": r"disclosures? regarding",
    "10": r"directors",
    "11": r"executive comp|compensation",
    "12": r"security ownership",
    "13": r"certain rel",
    "14": r"principal acc",
    "15": r"exhibits?|financial statement",
    "16": r"(?:form )?10-k summary|summary",
}
ITEMS = tuple(TITLES)
MAX_TITLE, MAX_REFERENCE = 250, 1_000  # characters of a heading; of an Item that only refers to its text
_NUMBER = r"(?P<{}>1[0-6]|[1-9])[ .]{{0,2}}(?P<{}>\(?[ABC]?(?:\(T\)|T)?\)?)(?![\w$%/-])"
_ITEM = re.compile(
    r"\W{0,3}(?:part\s+[IVX]+[\s.,:–—-]{1,5})?items?[\s.:]{0,5}"
    + _NUMBER.format("first", "letter")
    + r"[\s.:)–—-]*(?:(?:,|and|&|through|to)[\s.]*(?:items?\s+)?"
    + _NUMBER.format("last", "other")
    + r")?[\s.:,;|)–—-]*(?P<title>.*)",
    re.IGNORECASE | re.DOTALL,
)
_PART = re.compile(r"\W{0,3}(PART\s+(?:IV|I{1,3}))\b[\s.:–—-]*(?:\(continued\))?\W*", re.IGNORECASE)
_RUN_IN = re.compile(
    r"[^.:]{3,160}?(?:[.:–—](?=\s|$)|(?=\s(?:The information|Information|None\b|Not applicable|See\b|Refer\b)))"
)
_TOLD = (
    r"(?:includ|contain|disclos|provid|describ|discuss|furnish|report|present|fil)ed|set\s+forth|found|appears?|appearing|"
    r"shown|given|see|refer|available"
)
_OTHER = (  # documents with the text of Items
    r"(?:proxy|information)\s+statement|annual\s+report\s+to\s+(?:share|stock|unit)\w+|exhibit\s+13\b|10-K/A"
    r"|amendment\s+(?:no\.\s+\d+\s+)?(?:to|of)\s+this"
)
_REFERENCE = re.compile(
    r"incorporated\s+(?:[\w-]+,?\s+){0,12}?(?:by\s+(?:this\s+|such\s+)?reference|from\s+)"
    r"|by\s+reference\s+(?:in)?to\s+(?:[\w’'-]+\s+){0,12}?incorporated"
    rf"|\b(?:{_TOLD})\b[^.;]{{0,250}}?\b(?:{_OTHER})|\b(?:{_OTHER})[^.;]{{0,250}}?\b(?:{_TOLD})\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"\W*(?:(?:report|opinion) of independent registered public accounting firm|(?:index to )?(?:the )?"
    r"(?:consolidated )?(?:financial statements(?: and supplementa\w+ (?:data|schedules?))?"
    r"|(?:balance sheets?|statements? of [\w ,()’'-]{3,80})))\W*(?:\(continued\))?\W*",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\W*to the (?:\w+ (?:and )?){0,4}(?:share|stock|unit)?(?:holders|owners|board|members)\b", re.I
)
# lines after a statement's heading: until its table or the address of a report, in all, and those that are amounts
_LEAD, _AHEAD, _LEAST_ROWS = 6, 18, 8


class FilingLine(NamedTuple):
    """A line of a filing and its start. `tabular`: a row of a table with several rows."""

    text: str
    start: int
    tabular: bool = False


class Section(NamedTuple):
    """An Item: identifier ("7A"), heading, the index of its heading's line, and its text's span, [start, end).

    `by_reference`: the text is elsewhere, usually in the proxy statement. `indexed`: only named, in an index.
    """

    item: str
    title: str
    line: int
    start: int
    end: int
    by_reference: bool
    indexed: bool


def marked(item: Section) -> str:
    """Return the heading of an Item, marked if its text is elsewhere."""
    return f"{item.title} (incorporated by reference)" if item.by_reference else item.title


def statements_title(items: Sequence[Section]) -> str:
    """Return the heading of Item 8, for financial statements outside of it."""
    return next(item.title for item in items if item.item == "8")


class _Named(NamedTuple):
    """A line that names an Item. `weight` grows with the text under it."""

    item: str
    line: int
    weight: float


def sections(lines: Sequence[FilingLine], end: int) -> list[Section]:
    """Return the Items of a filing's lines in order. The last ends at `end` or at the signatures."""
    lines = list(lines)
    chain = _chain(_candidates(lines))
    indexed = 2 * sum(lines[heading.line].tabular for heading in chain) > len(chain)
    bounds = [heading.line for heading in chain] + ([_after(lines, chain[-1].line)] if chain else [])
    return [
        Section(
            item=heading.item,
            title=_title(lines, heading.line),
            line=heading.line,
            start=lines[heading.line].start,
            end=lines[until].start if until < len(lines) else end,
            by_reference=not indexed and _referred(heading.item, lines[heading.line : max(until, heading.line + 1)]),
            indexed=indexed,
        )
        for heading, until in zip(chain, bounds[1:], strict=True)
    ]


def statements(lines: Sequence[FilingLine], items: Sequence[Section]) -> int:
    """Return the index of the line that begins the financial statements after Items 15, or -1 if Item 8 has them.

    They follow Item 15 as pages F-1 on, or the signatures, whatever an index says.
    """
    by_item = {item.item: item for item in items if not item.indexed}
    behind = next((by_item[name].line for name in ("15", "16") if name in by_item), -1)
    if behind < 0 or "8" not in by_item:
        return -1
    own = (line for line in lines if by_item["8"].start <= line.start < by_item["8"].end)
    if sum(line.tabular for line in own) > _LEAST_ROWS:
        return -1
    return next((at for at in range(behind + 1, len(lines)) if _begins(lines, at)), -1)


def _begins(lines: Sequence[FilingLine], at: int) -> bool:
    """Return whether a line heads a statement or its audit, with its content below, and is no entry of a list."""
    if lines[at].tabular or len(lines[at].text) > MAX_TITLE or not _STATEMENT.fullmatch(lines[at].text):
        return False
    ahead = list(lines[at + 1 : at + 1 + _AHEAD])
    lead = next((place for place, line in enumerate(ahead) if line.tabular), len(ahead))
    if any(_STATEMENT.fullmatch(line.text) or names_item(line.text) for line in ahead[: min(lead, _LEAD)]):
        return False
    amounts = sum(bool(re.search(r"\d,\d{3}|\$ ?\d", line.text)) for line in ahead if line.tabular)
    return (lead < _LEAD and amounts >= _LEAST_ROWS) or any(_ADDRESSED.match(line.text) for line in ahead[:_LEAD])


def part(line: str) -> str:
    """Return "Part II" for a line that is only a part's heading, else ""."""
    match = _PART.fullmatch(line) if len(line) <= 60 else None
    return "Part " + match[1].split()[1].upper() if match else ""


def names_item(line: str) -> bool:
    """Return whether a line begins with an Item's number: a heading, or a row of the contents."""
    match = _ITEM.match(line[:MAX_TITLE])
    return bool(match and _identifier(match, "first", "letter") in TITLES)


def _candidates(lines: list[FilingLine]) -> list[_Named]:
    """Return every line that may head an Item, weighted by the text under it.

    Entries of lists have a low weight.
    """
    named: list[tuple[str, int]] = []
    for at in range(len(lines)):
        named += [(item, at) for item in _items(lines, at)]
    sizes = [0]
    for line in lines:
        sizes.append(sizes[-1] + len(line.text))
    places = [*sorted({at for _, at in named}), len(lines)]
    under = {at: sizes[until] - sizes[at] for at, until in pairwise(places)}
    return [_Named(item, at, 1.0 if _listed(lines[at]) else 8 + log2(1 + under[at])) for item, at in named]


def _listed(line: FilingLine) -> bool:
    """Return whether a line is an entry of the contents or an index: a table's row, or a line with a page number."""
    return line.tabular or (len(line.text) <= MAX_TITLE and bool(re.search(r"[\s.…]\d{1,3}$", line.text)))


def _items(lines: list[FilingLine], at: int) -> list[str]:
    """Return the Items that a line heads: one, or those of "Items 1 and 2. Business and Properties"."""
    match = _ITEM.match(lines[at].text[: 2 * MAX_TITLE])
    if not match:
        return []
    title = match["title"].strip()
    if not title and at + 1 < len(lines):  # "Item 7." alone: the title is the next line
        title = lines[at + 1].text.strip()
    first, last = (_identifier(match, *names) for names in (("first", "letter"), ("last", "other")))
    if first not in TITLES or not re.match(rf"\W*(?:{TITLES[first]})", title, re.IGNORECASE):
        return []
    if len(lines[at].text) > MAX_TITLE and not _RUN_IN.match(title):
        return []
    span = ITEMS[ITEMS.index(first) : ITEMS.index(last) + 1] if last in TITLES else (first,)
    return [item for item in span if item in (first, last) or first == "10"]


def _identifier(match: re.Match[str], number: str, letter: str) -> str:
    return (match[number] or "") + re.sub(r"\(T\)|[()T]", "", (match[letter] or "").upper())


def _chain(named: list[_Named]) -> list[_Named]:
    """Return the heaviest run of candidates in the form's order, with the first of a heading repeated on pages."""
    best: list[
        tuple[float, int]
    ] = []  # by candidate: weight of the best chain that ends there, and the candidate before
    heaviest = [(0.0, -1)] * len(ITEMS)  # by Item: weight of the best chain that ends there, and its last candidate
    for at, candidate in enumerate(named):
        rank = ITEMS.index(candidate.item)
        weight, last = max(heaviest[:rank], default=(0.0, -1))
        best.append((weight + candidate.weight, last))
        heaviest[rank] = max(heaviest[rank], (weight + candidate.weight, at))
    chain: list[_Named] = []
    at = max(range(len(best)), key=lambda index: best[index][0], default=-1)
    while at >= 0:
        last = best[at][1]
        again = (
            [candidate for candidate in named[last + 1 : at] if candidate.item == named[at].item] if last >= 0 else []
        )
        chain.append(again[0] if again else named[at])
        at = last
    return chain[::-1]


def _title(lines: list[FilingLine], at: int) -> str:
    """Return the heading in one line, without the text after a run-in heading."""
    match = _ITEM.match(lines[at].text)
    text = lines[at].text
    if match and not match["title"].strip() and at + 1 < len(lines):
        return f"{text} {lines[at + 1].text}"[:MAX_TITLE]
    run_in = _RUN_IN.match(match["title"]) if match and len(text) > MAX_TITLE else None
    return text[: match.start("title") + run_in.end()] if match and run_in else text[:MAX_TITLE]


def _after(lines: list[FilingLine], last: int) -> int:
    """Return the index of the line after the last Item: the signatures, or the end."""
    ends = (at for at in range(last + 1, len(lines)) if re.fullmatch(r"\W*signatures?\W*", lines[at].text, re.I))
    return next(ends, len(lines))


def _referred(item: str, body: list[FilingLine]) -> bool:
    """Return whether the Item's own text is elsewhere: it refers to it, or is empty in Part III."""
    until = next((at for at, line in enumerate(body) if at and part(line.text)), len(body))
    text = " ".join(line.text for line in body[:until])
    third = item in ("10", "11", "12", "13", "14")
    if third and until == 1 and len(text) <= MAX_TITLE:
        return True
    return item not in ("15", "16") and bool(_REFERENCE.search(text)) and (third or len(text) <= MAX_REFERENCE)
