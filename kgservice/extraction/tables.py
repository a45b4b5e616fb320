"""Triplets from pipe tables: the subject names row and scope, the relation is the measure, the object the cell's value.

What a cell states (RARE, appendix F: "clearly indicate row, column, and description"; no dates in relations):
- Columns are periods and rows are parts ("Revenue of Acme by segment"; a first column headed Segment, Product, …):
  ("Industrial segment of Acme in 2031", "revenue", "412 million USD"); the measure is the caption's.
- Columns are periods and rows are measures: ("Acme in 2031", "revenue", …); so too where rows are the periods.
- Columns are measures: rows that are names alone (cities, companies) stand for themselves, ("Castren", "population",
  …); others are put under the scope, ("Corvane Homes in Thulmark in 2031", "homes delivered", …).
- Rows are measures, columns are names: ("Acme", "revenue", …); a lone column "Value" is the scope's own.
The scope is what the caption names ("X: …", "… of X by …"), else the document's company, city, country or title. A row
"Total" is the scope's own; a column "Growth" beside periods is the growth up to the last of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kgservice.chunking import tables
from kgservice.model import Chunk, Document, Problem, Term, Triplet
from kgservice.values import read_value

EMPTY = frozenset(("", "-", "–", "—", "n/a", "na", "n.a.", "..", "...", "…", "nm", "n.m.", "not available", "none", "nil"))
_YEAR = r"(?:1[89]|20|21)\d\d"
_PERIOD = re.compile(
    rf"(?P<fiscal>FY ?|(?:fiscal|financial) (?:year )?)?(?:year )?(?P<part>(?:[QH][1-4]|9M) )?(?P<year>{_YEAR})(?:[/–-]\d\d(?:\d\d)?)?"
    r"(?: ?[EFp]| \((?:forecast|estimated?|plan|projected|target|budget)\))?",
    re.I,
)
_MARKUP = re.compile(r"\*\*|__|`|<sup>.*?</sup>|<br ?/?>|!?\[(?=[^\]]+\]\()|\]\([^)]*\)|(?<!\S)[*_](?=\w)|(?<=\w)_(?!\S)")
_FOOTNOTE = re.compile(r"(?<=[\d%)])[¹²³⁰⁴-⁹]+$|(?<=[a-z]{4})[¹²³⁰⁴-⁹]+$|[*†‡§]+$|\s*\[\w{1,2}\]$|\^\w{1,2}\^?$|\s+\([a-z\d]\)$")
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_NUMBERED = re.compile(r"(?:table|exhibit|chart|figure|box|annex)\s+[\dA-Z][\w.-]*?[.:–-]?(?:\s+|$)", re.I)
_DATED = re.compile(
    rf"[,;]?\s*(?:for |in |at |to )?(?:the )?(?:(?:fiscal|financial|calendar) )?(?:years? )?(?:ended .{{0,20}})?{_YEAR}"
    rf"(?:\s*(?:,|and|to|–|-|/)\s*\d{{2,4}})*\s*$",
    re.I,
)
_NAME = re.compile(r" (?:of|in|at|for) ((?:[A-Z][\w'’&-]*)(?: (?:(?:of|de|la|and) )?[A-Z][\w'’&-]*)*)$")
_GENERIC = re.compile(
    r"(?i)^(?:the )?(?:\w+ ){0,2}(?:surveys?|reports?|profile|overview|review) (?:of|on) (?:the )?"
    r"|(?:^| )(?:(?:consolidated|annual|quarterly|financial|economic|half-year) )?(?:reports?|survey|review|statements?"
    r"|results|profile|overview|outlook|filing|plan|strategy|10-[KQ]|accounts)\b.*$"
)
_NOT_UNITS = re.compile(
    r"(?i)revised|restated|unaudited|audited|estimat\w+|forecast|preliminary|provisional|average|total|net|gross|see|"
    r"adjusted|cont\w*|excluding|including|nominal|real|actual|planned|latest|end|mid|new|old|other|all"
)
_COUNTED = re.compile(r"(?i)\b(?:number|employees|headcount|staff|shares|stores|customers|population|users|plants|offices)\b")
_SHARED = re.compile(r"(?i)\b(?:margin|rate|ratio|share of|percentage|growth|change)\b")
_GROWTH = re.compile(r"(?i)(?:growth|change|increase|decrease|variation)\b")
_DATES = re.compile(r"(?i)\b(?:years?|founded|opened|established|since|dates?|start\w*|end\w*|launched|built|complet\w+|elected|born)\b")
_TOTAL = re.compile(r"(?i)(?:grand |overall |group )?totals?|overall|sum")
_VAGUE = re.compile(r"(?i)others?|average|mean|median|unallocated|eliminations|of which.*|rest|remainder|all")
_MEASURES = re.compile(r"(?i)measures?|indicators?|items?|metrics?|key figures?|figures?")
_VALUES = re.compile(r"(?i)values?|amounts?|figures?|totals?|result|data")
_KNOWN = re.compile(
    r"(?i)\b(?:revenues?|sales|income|profits?|loss|earnings|population|area|employees|assets|liabilities|margin|gdp|"
    r"growth|rate|costs?|expenses?|output|production|debt|capital|price|balance|cash|dividends?|tax|exports|imports)\b"
)
_PLACES = re.compile(r"(?i)(?:city|cities|town|country|countries)")
_AREAS = re.compile(r"(?i)district|ward|region|market|site|plant|location|state|province|county|area|geograph\w+|municipality")
_PARTS = re.compile(r"(?i)segment|division|sector|industry|business|unit|department")
_NAMES = re.compile(r"(?i)|name|company|firm|subsidiary|person|director|member|programme|program|project|scheme|bank|organi[sz]ation")
SUBJECT_KEYS = ("company", "organisation", "organization", "city", "country", "state", "region")


class Caption(NamedTuple):
    """What a caption tells: the scope, the measure, what the rows are ("segment"), the unit and the period."""

    scope: str
    measure: str
    noun: str
    unit: str
    period: str
    fiscal: bool
    company: bool


class _Row(NamedTuple):
    name: str
    cells: list[str]
    line: str
    whole: bool  # False where a chunk's end may have cut it


class _Head(NamedTuple):
    """A column's name without its unit, its unit, and the period that it is ("" for none)."""

    name: str
    unit: str
    period: str
    year: str


def table_triplets(chunk: Chunk, document: Document) -> tuple[list[Triplet], list[Problem]]:
    """Return what the tables of a chunk state; every cell beside a row's first ends as one triplet or one problem."""
    triplets: list[Triplet] = []
    problems: list[Problem] = []
    for table in tables(chunk.text):
        caption = read_caption(chunk.text[table.start : table.first], chunk.section, document)
        lines = [line.strip() for line in chunk.text[table.first : table.last].split("\n")]
        for row, column, outcome in _cells(lines, caption):
            if isinstance(outcome, Triplet):
                triplets.append(outcome)
            else:
                detail = f"table row {row[:60]!r}, column {column[:60]!r}"
                problems.append(Problem(source=document.source, state="rejected", reason=outcome, detail=detail))
    return triplets, problems
