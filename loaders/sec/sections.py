"""The Items of a 10-K: which lines are their headings, where each begins and ends, which are incorporated by reference.

A filing names its Items several times: in its table of contents, in references, at the top of pages. The headings are
the chain of lines in the form's order that has the most text under it. A filing may have no such headings but an index
("Form 10-K cross-reference index"): then its rows are the sections, and say where the text is.
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
MAX_TITLE, MAX_REFERENCE = 250, 1_000  # characters of a heading; of an Item that only says where its text is
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
_OTHER = (  # documents that Items are left to
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
    """A line of a filing and where it starts; `tabular`: a row of a table of several rows."""

    text: str
    start: int
    tabular: bool = False


class Section(NamedTuple):
    """An Item: identifier ("7A"), heading, the index of its heading's line, and its text's place, [start, end).

    `by_reference`: the text is elsewhere, as a rule in the proxy statement; `indexed`: only named, in an index.
    """

    item: str
    title: str
    line: int
    start: int
    end: int
    by_reference: bool
    indexed: bool


def marked(item: Section) -> str:
    """The heading of an Item, with what to know when its text is elsewhere."""
    return f"{item.title} (incorporated by reference)" if item.by_reference else item.title


def statements_title(items: Sequence[Section]) -> str:
    """The heading of Item 8 over financial statements that stand elsewhere."""
    return next(item.title for item in items if item.item == "8")


class _Named(NamedTuple):
    """A line that names an Item; `weight` grows with the text under it."""

    item: str
    line: int
    weight: float


def sections(lines: Sequence[FilingLine], end: int) -> list[Section]:
    """The Items of a filing's lines, in order; the last goes to `end`, or to the signatures."""
    lines = list(lines)
    chain = _chain(_candidates(lines))
    indexed = 2 * sum(lines[found.line].tabular for found in chain) > len(chain)
    bounds = [found.line for found in chain] + ([_after(lines, chain[-1].line)] if chain else [])
    return [
        Section(
            item=found.item,
            title=_title(lines, found.line),
            line=found.line,
            start=lines[found.line].start,
            end=lines[until].start if until < len(lines) else end,
            by_reference=not indexed and _referred(found.item, lines[found.line : max(until, found.line + 1)]),
            indexed=indexed,
        )
        for found, until in zip(chain, bounds[1:], strict=True)
    ]


def statements(lines: Sequence[FilingLine], items: Sequence[Section]) -> int:
    """Return the line with which the financial statements begin where Item 8 has none and they stand behind the Items.

    Behind Item 15, as pages F-1 onwards, or behind the signatures, an index may say what it likes; -1 where they stand
    under Item 8 as they should.
    """
    known = {item.item: item for item in items if not item.indexed}
    behind = next((known[name].line for name in ("15", "16") if name in known), -1)
    if behind < 0 or "8" not in known:
        return -1
    own = (line for line in lines if known["8"].start <= line.start < known["8"].end)
    if sum(line.tabular for line in own) > _LEAST_ROWS:
        return -1
    return next((at for at in range(behind + 1, len(lines)) if _begins(lines, at)), -1)


def _begins(lines: Sequence[FilingLine], at: int) -> bool:
    """True for the heading of a statement or of its audit that is no entry of a list: what it heads follows it."""
    if lines[at].tabular or len(lines[at].text) > MAX_TITLE or not _STATEMENT.fullmatch(lines[at].text):
        return False
    ahead = list(lines[at + 1 : at + 1 + _AHEAD])
    lead = next((place for place, line in enumerate(ahead) if line.tabular), len(ahead))
    if any(_STATEMENT.fullmatch(line.text) or names_item(line.text) for line in ahead[: min(lead, _LEAD)]):
        return False
    amounts = sum(bool(re.search(r"\d,\d{3}|\$ ?\d", line.text)) for line in ahead if line.tabular)
    return (lead < _LEAD and amounts >= _LEAST_ROWS) or any(_ADDRESSED.match(line.text) for line in ahead[:_LEAD])


def part(line: str) -> str:
    """ "Part II" for a line that is nothing but a part's heading, else ""."""
    found = _PART.fullmatch(line) if len(line) <= 60 else None
    return "Part " + found[1].split()[1].upper() if found else ""


def names_item(line: str) -> bool:
    """True for a line that begins with an Item's number: a heading, or a row of the contents."""
    found = _ITEM.match(line[:MAX_TITLE])
    return bool(found and _identifier(found, "first", "letter") in TITLES)


def _candidates(lines: list[FilingLine]) -> list[_Named]:
    """Every line that may head an Item, with a weight: by how much text is under it, little where it is an entry."""
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
    """True for a row of a table or a line with its page's number: an entry of the contents, or of an index."""
    return line.tabular or (len(line.text) <= MAX_TITLE and bool(re.search(r"[\s.…]\d{1,3}$", line.text)))


def _items(lines: list[FilingLine], at: int) -> list[str]:
    """The Items that a line heads: one, or those of "Items 1 and 2. Business and Properties"."""
    found = _ITEM.match(lines[at].text[: 2 * MAX_TITLE])
    if not found:
        return []
    title = found["title"].strip()
    if not title and at + 1 < len(lines):  # "Item 7." alone: the title is the next line
        title = lines[at + 1].text.strip()
    first, last = (_identifier(found, *names) for names in (("first", "letter"), ("last", "other")))
    if first not in TITLES or not re.match(rf"\W*(?:{TITLES[first]})", title, re.IGNORECASE):
        return []
    if len(lines[at].text) > MAX_TITLE and not _RUN_IN.match(title):
        return []
    span = ITEMS[ITEMS.index(first) : ITEMS.index(last) + 1] if last in TITLES else (first,)
    return [item for item in span if item in (first, last) or first == "10"]


def _identifier(found: re.Match[str], number: str, letter: str) -> str:
    return (found[number] or "") + re.sub(r"\(T\)|[()T]", "", (found[letter] or "").upper())


def _chain(named: list[_Named]) -> list[_Named]:
    """The heaviest run of candidates in the form's order; of a heading repeated on its pages the first."""
    best: list[tuple[float, int]] = []  # of the chains that end at each: weight, the candidate before
    heaviest = [(0.0, -1)] * len(ITEMS)  # of the chains that end at each Item: weight, its last candidate
    for at, one in enumerate(named):
        rank = ITEMS.index(one.item)
        weight, last = max(heaviest[:rank], default=(0.0, -1))
        best.append((weight + one.weight, last))
        heaviest[rank] = max(heaviest[rank], (weight + one.weight, at))
    chain: list[_Named] = []
    at = max(range(len(best)), key=lambda index: best[index][0], default=-1)
    while at >= 0:
        last = best[at][1]
        again = [one for one in named[last + 1 : at] if one.item == named[at].item] if last >= 0 else []
        chain.append(again[0] if again else named[at])
        at = last
    return chain[::-1]


def _title(lines: list[FilingLine], at: int) -> str:
    """The heading in one line, without what a run-in heading is followed by."""
    found = _ITEM.match(lines[at].text)
    text = lines[at].text
    if found and not found["title"].strip() and at + 1 < len(lines):
        return f"{text} {lines[at + 1].text}"[:MAX_TITLE]
    run_in = _RUN_IN.match(found["title"]) if found and len(text) > MAX_TITLE else None
    return text[: found.start("title") + run_in.end()] if found and run_in else text[:MAX_TITLE]


def _after(lines: list[FilingLine], last: int) -> int:
    """The line after the last Item: the signatures, or the end."""
    ends = (at for at in range(last + 1, len(lines)) if re.fullmatch(r"\W*signatures?\W*", lines[at].text, re.I))
    return next(ends, len(lines))


def _referred(item: str, body: list[FilingLine]) -> bool:
    """True if the Item's own text is elsewhere: it says so, or in Part III says nothing."""
    until = next((at for at, line in enumerate(body) if at and part(line.text)), len(body))
    text = " ".join(line.text for line in body[:until])
    third = item in ("10", "11", "12", "13", "14")
    if third and until == 1 and len(text) <= MAX_TITLE:
        return True
    return item not in ("15", "16") and bool(_REFERENCE.search(text)) and (third or len(text) <= MAX_REFERENCE)
