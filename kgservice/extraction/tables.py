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
from typing import Literal, NamedTuple, TypeAlias

from kgservice.chunking import tables
from kgservice.model import Chunk, Document, Problem, Term, Triplet
from kgservice.values import MONTHS, quantity, read_period, read_unit, read_value

SUBJECT_KEYS = ("company", "organisation", "organization", "city", "country", "state", "region")
EMPTY = re.compile(r"(?i)[-–—.…]*|n/?a|n\.a\.|n\.?m\.?|nil|none|not available")
_YEAR = r"(?:1[89]|20|21)\d\d"
_MARKUP = re.compile(r"\*\*|__|`|<sup>.*?</sup>|!?\[(?=[^\]]+\]\()|\]\([^)]*\)|(?<!\S)[*_](?=\w)|(?<=\w)_(?!\S)")
_FOOTNOTE = re.compile(r"(?:(?<=[\d%)])|(?<=[a-z]{4}))[¹²³⁰⁴-⁹]+$|[*†‡§]+$|\s*\[\w{1,2}\]$|(?<=\S) \([a-z\d]\)$")
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_NUMBERED = re.compile(r"(?i)^(?:table|exhibit|chart|figure|box|annex)\s+(?:\d[\w.-]*|[A-Z]\b)[.:–-]?\s*")
_DATED = re.compile(
    r"(?i)[,;]?\s*(?:for |in |at |to )?(?:the )?(?:(?:fiscal|financial|calendar) )?(?:years? )?(?:ended .{0,20})?"
    rf"{_YEAR}(?:\s*(?:,|and|to|–|-|/)\s*\d{{2,4}})*\s*$"
)
_NAMED = re.compile(r" (?:of|in|at|for) ((?:[A-Z][\w'’&-]*)(?: (?:(?:of|de|la|and) )?[A-Z][\w'’&-]*)*)$")
_TITLE = re.compile(
    r"(?i)^(?:the )?(?:\w+ ){0,2}(?:surveys?|reports?|profile|overview|review) (?:of|on) (?:the )?|,? \d{4}\b.*$"
    r"|(?:^| )(?:(?:annual|quarterly|economic) )?(?:reports?|survey|results|profile|plan|10-[KQ]|accounts)\b.*$"
)
_COUNTED = re.compile(r"(?i)\b(?:number|employees|headcount|staff|shares|stores|customers|population)\b")
_RATIO = re.compile(r"(?i)\b(?:margin|rate|ratio|share of|percentage|per|eps)\b")
_GROWTH = re.compile(r"(?i)(?:growth|change|increase|decrease|variation)\b")
_DATES = re.compile(r"(?i)\b(?:years?|founded|opened|established|since|dates?|start|end|launched|complet\w+|born)\b")
_TOTAL = re.compile(r"(?i)(?:grand |overall |group )?totals?|overall|sum")
_VAGUE = re.compile(r"(?i)others?|average|mean|median|unallocated|eliminations|of which.*|rest|remainder|all")
_MEASURES = re.compile(r"(?i)measures?|indicators?|items?|metrics?|key figures?|figures?")
_VALUES = re.compile(r"(?i)values?|amounts?|figures?|totals?|results?")
_KNOWN = re.compile(
    r"(?i)\b(?:revenues?|sales|income|profits?|earnings|population|area|employees|assets|liabilities|margin|gdp|growth|"
    r"rate|costs?|expenses?|output|production|debt|capital|price|balance|cash|dividends?|tax|exports|imports)\b"
)
_PLACES = re.compile(r"(?i)city|cities|town|country|countries")
_AREAS = re.compile(r"(?i)district|ward|region|market|site|plant|location|state|province|county|area|geography")
_PARTS = re.compile(r"(?i)segment|division|sector|industry|business|unit|department")
_NAMES = re.compile(r"(?i)name|company|firm|subsidiary|person|programme|program|project|scheme|bank|university")

_Form: TypeAlias = Literal["parts", "measures", "periods down", "columns", "names", "lone"]


class _Caption(NamedTuple):
    """What a caption tells: the scope, the measure, what the rows are ("segment"), the unit and the period."""

    scope: str
    measure: str
    noun: str
    unit: str
    period: str
    fiscal: bool
    company: bool


class _Head(NamedTuple):
    """A row's or column's name; `measure` is it without its unit and as a relation; `period` is "in 2031" or ""."""

    name: str
    measure: str
    unit: str
    period: str
    year: str


class _Plan(NamedTuple):
    """How a table is read: its form, what its rows are, its last period, its caption."""

    form: _Form
    noun: str
    latest: _Head
    caption: _Caption


class _Row(NamedTuple):
    head: _Head
    cells: list[str]
    line: str
    whole: bool  # False where a chunk's end may have cut it


NONE = _Head("", "", "", "", "")


def table_triplets(chunk: Chunk, document: Document) -> tuple[list[Triplet], list[Problem]]:
    """Return what the tables of a chunk state; every cell after a row's first ends as one triplet or one problem."""
    triplets: list[Triplet] = []
    problems: list[Problem] = []
    for table in tables(chunk.text):
        caption = _read_caption(chunk.text[table.start : table.first] or chunk.section.rpartition(" > ")[2], document)
        lines = [line.strip() for line in chunk.text[table.first : table.last].split("\n")]
        for row, column, outcome in _outcomes(lines, caption):
            if isinstance(outcome, Triplet):
                triplets.append(outcome)
            else:
                detail = f"table row {row[:60]!r}, column {column[:60]!r}"
                problems.append(Problem(source=document.source, state="rejected", reason=outcome, detail=detail))
    return triplets, problems


def _outcomes(lines: list[str], caption: _Caption) -> Iterator[tuple[str, str, Triplet | str]]:
    header = [_head(cell, caption.fiscal) for cell in _split(lines[0])]
    ruled = len(lines) > 1 and "-" in lines[1] and set(lines[1]) <= set("|:- \t")
    rows = _rows(lines[2:] if ruled else lines, lines[0].endswith("|"), caption.fiscal)
    plan = _plan(header, rows, caption)
    columns, names = Counter(head.name for head in header), Counter(row.head.name for row in rows)
    for row in rows:
        for at, cell in enumerate(row.cells, 1):
            head = header[at] if at < len(header) else NONE
            flaws = {
                "no header": not ruled,
                "cut row": not row.whole,
                "empty cell": bool(EMPTY.fullmatch(cell)),
                "no column name": not head.name,
                "no row name": not row.head.name,
                "repeated name": columns[head.name] > 1 or names[row.head.name] > 1,
            }
            flaw = next((reason for reason, holds in flaws.items() if holds), "")
            yield row.head.name, head.name, flaw or _stated(row, head, cell, plan)


def _stated(row: _Row, head: _Head, cell: str, plan: _Plan) -> Triplet | str:
    subject, relation, period = _named(row.head, head, plan)
    if period is None or not subject or not relation:
        return "no period" if period is None else "no measure" if subject else "no subject"
    caption = plan.caption
    counted, ratio = _COUNTED.search(relation) and re.search("[A-Z%]", caption.unit), _RATIO.search(relation)
    foreign = _GROWTH.match(head.name) or counted or (ratio and not caption.unit.startswith("%"))
    term = _object(cell, relation, head.unit or row.head.unit or ("" if foreign else caption.unit))
    found = Term(label=f"{subject} {period}".strip(), kind="entity")
    return Triplet(subject=found, relation=relation, object=term, sentence=row.line) if term else "not a value"


def _object(cell: str, relation: str, unit: str) -> Term | None:
    """A number with its unit, a date, or a short name; None for anything else."""
    kind, value, _ = read_value(cell)
    if kind == "date" and (len(cell) > 4 or _DATES.search(relation)):
        return Term(label=cell, kind="date", value=value)
    if label := quantity(cell, unit):
        _, value, base = read_value(label)
        return Term(label=label, kind="number", value=float(value or 0), unit=base)
    letters = sum(sign.isalpha() for sign in cell)
    named = 1 < len(cell) <= 60 and 2 * letters >= len(cell.replace(" ", "")) and cell.lower() not in ("yes", "no")
    return Term(label=cell, kind="entity") if named else None


def _plan(header: list[_Head], rows: list[_Row], caption: _Caption) -> _Plan:
    """How the table is to be read: see the top of this file."""
    stub, values = (header[0] if header else NONE), [head for head in header[1:] if head.name]
    latest = max((head for head in values if head.period), key=lambda head: head.year, default=NONE)
    known = 2 * sum(bool(_KNOWN.search(row.head.name)) for row in rows) > len(rows)
    listed = bool(_MEASURES.fullmatch(stub.name)) or (known and not caption.noun)
    form: _Form = "columns"
    if values and 2 * sum(bool(head.period) for head in values) >= len(values):
        form = "parts" if caption.noun or (stub.measure and not stub.unit and not listed) else "measures"
    elif rows and all(row.head.period for row in rows):
        form = "periods down"
    elif _MEASURES.fullmatch(stub.name) or (listed and not stub.name):
        form = "lone" if len(values) == 1 and _VALUES.fullmatch(values[0].name) else "names"
    return _Plan(form, stub.measure or caption.noun, latest, caption)


def _named(row: _Head, head: _Head, plan: _Plan) -> tuple[str, str, str | None]:
    """Subject, relation and period of a cell; "" for what cannot be told, None for a period that there should be."""
    form, noun, latest, caption = plan
    total = bool(_TOTAL.fullmatch(row.name)) or (form == "parts" and row.name.lower().startswith("total "))
    if form in ("parts", "measures"):
        grown = bool(_GROWTH.match(head.name)) and not head.period
        relation = caption.measure if total or form == "parts" else row.measure
        relation = f"{relation} {head.measure}" if grown and relation else relation
        subject = caption.scope if total or form == "measures" else _part(row.name, noun, caption)
        return subject, relation, (latest.period if grown else head.period) or None
    if form == "periods down":
        return caption.scope, head.measure, row.period
    if form == "lone":
        return caption.scope, row.measure, caption.period
    if form == "names":
        return head.name, row.measure, ""
    shared = caption.unit and not head.unit and not _COUNTED.search(head.name) and caption.measure not in head.measure
    relation = f"{caption.measure} {head.measure}" if shared else head.measure
    if total or not _alone(noun, caption):
        return caption.scope if total else _part(row.name, noun, caption), relation, caption.period
    return "" if _VAGUE.fullmatch(row.name) else row.name, relation, ""


def _alone(noun: str, caption: _Caption) -> bool:
    """True if a row's name needs no scope: a city in a survey, not a market in a company's report."""
    return (
        (not noun and not caption.company)
        or bool(_NAMES.fullmatch(noun))
        or (bool(_PLACES.fullmatch(noun)) and not caption.company)
    )


def _part(name: str, noun: str, caption: _Caption) -> str:
    """A row's name under the scope; "" if there is none."""
    kind = noun.lower()
    if not caption.scope or _alone(noun, caption):
        return name if _alone(noun, caption) else ""
    if caption.company and (_PLACES.fullmatch(noun) or _AREAS.fullmatch(noun)):
        return f"{caption.scope} in {name}"
    if not noun or kind in name.lower() or _AREAS.fullmatch(noun):
        return f"{name} of {caption.scope}"
    return f"{name} {kind} of {caption.scope}" if _PARTS.fullmatch(noun) else f"{name} ({kind}) of {caption.scope}"


def _rows(lines: list[str], closed: bool, fiscal: bool) -> list[_Row]:
    """The rows; a name under a group's heading ("Europe:" or bold, with nothing beside it) carries the group's."""
    rows: list[_Row] = []
    group = ""
    for line in lines:
        first, *cells = _split(line) or [""]
        name = _clean(first)
        values = [_clean(cell) for cell in cells]
        if name and values and not any(values) and (name.endswith(":") or first.strip().startswith("**")):
            group = name.rstrip(":")
        elif group:
            group = "" if _TOTAL.match(name) else group
            name = f"{group}, {name}" if group and name else name
        rows.append(_Row(_head(name, fiscal), values, line, line.endswith("|") or not closed))
    return rows


def _split(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line)
    return cells[line.startswith("|") : len(cells) - (len(cells) > 1 and not cells[-1].strip())]


def _clean(cell: str) -> str:
    """The words of a cell, without Markdown and footnote marks; a text of above 500 characters is cut."""
    plain = _MARKUP.sub("", cell.strip()[:500].replace("<br>", " ")).replace("\\|", "|").replace("\\*", "*")
    text = " ".join(plain.split())
    return _FOOTNOTE.sub("", text).strip()


def _head(cell: str, fiscal: bool) -> _Head:
    name = _clean(cell)
    found = re.search(f"{_BRACKET.pattern}$", name)
    unit = read_unit(found[1]) if found else ""
    plain = name[: found.start()].strip() if found and unit else name
    return _Head(name, _measure(plain), unit, *read_period(plain, fiscal))


def _measure(name: str) -> str:
    """A name as a relation: in lower case, but for acronyms, months and names within a heading in sentence case."""
    words = name.split()
    titled = all(word[:1].isupper() or not word.isalpha() for word in words if len(word) > 3)

    def kept(at: int, word: str) -> bool:
        acronym = (len(words) > 1 or len(word) < 6) and any(sign.isupper() or sign.isdigit() for sign in word[1:])
        return acronym or word.lower() in MONTHS.split() or (at > 0 and not titled)

    return " ".join(word if kept(at, word) else word.lower() for at, word in enumerate(words))


def _read_caption(text: str, document: Document) -> _Caption:
    whole = " ".join(_clean(line.strip().lstrip("#")) for line in text.split("\n") if line.strip())[:500]
    unit = next((unit for found in _BRACKET.finditer(whole) if (unit := read_unit(found[1]))), "")
    said = _NUMBERED.sub("", _BRACKET.sub("", whole)).strip(" .:")
    years = set(re.findall(rf"\b{_YEAR}\b", said))
    fiscal = "fiscal" in whole.lower() or "fiscal_year" in document.metadata
    period = f"in {'fiscal ' if fiscal else ''}{years.pop()}" if len(years) == 1 else ""
    prefix, colon, rest = _DATED.sub("", said).strip(" .:").partition(": ")
    scope = prefix if colon and prefix[:1].isupper() and len(prefix) <= 60 else ""
    measure, _, noun = (rest if scope else prefix + colon + rest).partition(" by ")
    own = _document_scope(document)
    if own and own in measure:
        measure = re.sub(rf"(?: (?:of|in|at|for) )?{re.escape(own)}(?:['’]s)?", "", measure).strip()
        scope = scope or own
    elif named := _NAMED.search(measure):
        measure, scope = measure[: named.start()], scope or named[1]
    measure = "" if _MEASURES.search(measure) else _measure(measure)  # "Key figures" measures nothing
    return _Caption(scope or own, measure, noun, unit, period, fiscal, "company" in document.metadata)


def _document_scope(document: Document) -> str:
    """The one thing a document is about: by its metadata, else by its title without words such as "annual report"."""
    for key in SUBJECT_KEYS:
        if isinstance(value := document.metadata.get(key), str) and value.strip():
            return " ".join(value.split())
    parts = (_TITLE.sub("", part).strip() for part in re.split(r"\s+[–—|-]\s+|:\s+|,\s+", document.title[:300]))
    return next((part for part in parts if part[:1].isupper() and len(part.split()) <= 6), "")
