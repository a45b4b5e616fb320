"""Triplets from pipe tables: the subject names row and scope, the relation is the measure, the object the cell's value.

What a cell states (RARE, appendix F: "clearly indicate row, column, and description"; no dates in relations):
- Columns are periods and rows are parts ("Revenue of Acme by segment"; a first column headed Segment, Product, …):
  ("Industrial segment of Acme", "revenue", "412 million USD") in 2031; the measure is the caption's.
- Columns are periods and rows are measures: ("Acme", "revenue", …) in 2031; so too where rows are the periods. What a
  column says beside its period goes into the relation ("debt securities, level 2").
- Columns are measures: rows that are names alone (cities, companies) stand for themselves, ("Castren", "population",
  …); others are put under the scope, ("Corvane Homes in Thulmark", "homes delivered", …) in 2031.
- Rows are measures, columns are names: ("Acme", "revenue", …); a lone column "Value" is the scope's own.
- In a company's report what none of these fits is the company's: row and column together are the measure.
- Where a document's metadata name nothing that it is about, columns are measures only of tables that by their shape
  list things (`lists.py`), each row told by the heading and title where it stands: ("timeout (option) of “serve,
  Acme”", "default", "30").
The scope is what the caption names ("X: …", "… of X by …"), else the document's company, city, country or title. A row
"Total" is the scope's own; a column "Growth" beside periods is the growth up to the last of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from kgservice.core.records import Chunk, Document, Problem, Term, Triplet
from kgservice.extraction.tables.amounts import COUNTED, GROWTH, number, unit, value
from kgservice.extraction.tables.captions import (
    MEASURES,
    SCALED,
    SUBJECT_KEYS,
    VINTAGE,
    Caption,
    document_scope,
    read_caption,
)
from kgservice.extraction.tables.cells import (
    EMPTY,
    KNOWN,
    NONE,
    TOTAL,
    Head,
    TableRow,
    clean,
    continued,
    headers,
    measure,
    rows,
    split,
    whole_header,
)
from kgservice.extraction.tables.lists import Columns, ListedRow, TablePlace, find_place, read_columns, row_at
from kgservice.extraction.tables.part_tables import may_be_of_a_part
from kgservice.extraction.tables.scales import header_notes, note_scales
from kgservice.names.countries import country
from kgservice.text.chunking import tables
from kgservice.text.periods import NEVER, bare, own_day, read_period, without_day, year_between
from kgservice.text.values import quantity, read_unit

_ENDED = re.compile(r"(?i)(?:for )?(?:the )?(?:\w+ )?(?:months?|weeks?|quarters?) ended:?")
_RETURNS = re.compile(r"(?i)\b(?:s&p|nasdaq|dow jones|nyse|index)\b.*\b(?:index|composite|500|100)\b|\bindex$")
_FROM = re.compile(r"\d{4} ?(?:-|–|to)$")  # "October 30, 2023 -" before a day
_YEARS = re.compile(r"(?<![\d,.])(20\d\d)(?![\d,.])")
_REVENUE = re.compile(r"(?i)(?:total )?(?:net )?(?:revenues?|sales)")
_HUNDRED = re.compile(r"100(?:\.0+)? ?%?")
_VAGUE = re.compile(r"(?i)others?|average|mean|median|unallocated|eliminations|of which.*|rest|remainder|all")
_MARKS = re.compile(r"(?:\([a-z\d]\)\s?)+$")
_VALUES = re.compile(r"(?i)values?|amounts?|figures?|totals?|results?")
_PERIODS = re.compile(
    r"(?i)(?:(?:fiscal|calendar) )?(?:years?|quarters?|months?|periods?|dates?)(?: end(?:ed|ing)\b.*)?:?"
)
_ASSUMED = re.compile(r"(?i)\bassumptions\b")  # of the value of options: "dividend yield" is not the company's
_PLACES = re.compile(r"(?i)city|cities|town|country|countries")
_AREAS = re.compile(
    r"(?i)(?:.* )?(?:(?:district|ward|region|market|site|plant|location|state|province|area)s?|county|geograph\w+)"
)
_PARENT = re.compile(  # whose schedule is condensed: interim statements, condensed too, are consolidated
    r"(?i)\bparent[- ]company[- ]only\b|condensed (?:financial information of|statements? of|balance sheet)"
)
_PARTS = re.compile(r"(?i)segment|division|sector|industry|business|unit|department")
_NAMES = re.compile(r"(?i)name|company|firm|subsidiary|person|programme|program|project|scheme|bank|university")

LOOK_BACK, BELOW = 1_000, 800  # characters above a table in which a line stands, and below it, in which its notes do
SPAN = 20  # cells of one relation in a table; of more each says so, and questions/filters/spans.py asks about a few
_Form: TypeAlias = Literal["parts", "measures", "periods down", "columns", "names", "lone", "company", "list"]


class _Plan(NamedTuple):
    """How a table is read: its form, what its rows are, its last period, its caption, what each column's signs are."""

    form: _Form
    noun: str
    latest: Head
    caption: Caption
    signs: list[str]
    whole: str  # "revenue" where every row is a share of it
    largest: dict[tuple[str, int], float]  # counts under a group of rows, column by column
    columns: Columns | None = None  # of a list


def table_triplets(chunk: Chunk, document: Document) -> tuple[list[Triplet], list[Problem]]:
    """Return what the tables of a chunk state; every cell after a row's first ends as one triplet or one problem."""
    triplets: list[Triplet] = []
    problems: list[Problem] = []
    for table in tables(chunk.text):
        lines = [line.strip() for line in chunk.text[table.first : table.last].split("\n")]
        at = chunk.start + table.first
        lines[0], declared = header_notes(lines[0])
        caption = _caption(lines, declared, chunk.text[table.start : table.first].strip(), chunk, document, at)
        about = any(key in document.metadata for key in SUBJECT_KEYS)
        place = None if about else find_place(chunk.section, document.title, document.text, at)
        below = chunk.start + table.last
        notes = note_scales(document.text[below : below + BELOW])
        stated = list(_outcomes(lines, caption, place, notes))
        of_all = caption.scope == document_scope(document) and not (caption.stated and caption.measure)
        assumed = caption.company and _ASSUMED.search(f"{chunk.text[table.start : table.first]} {lines[0]}")
        if assumed or (of_all and may_be_of_a_part(document.text, at, caption.scope)):
            stated = [(where, _unless_of(caption.scope, outcome)) for where, outcome in stated]
        alike = Counter(one.relation for _, one in stated if isinstance(one, Triplet))
        for where, outcome in stated:
            if isinstance(outcome, Triplet):
                span = alike[outcome.relation]
                cell = f"{outcome.cell}, one of {span}" if span > SPAN else outcome.cell
                triplets.append(outcome.model_copy(update={"cell": cell}))
            else:
                detail = f"table at {at}, {where}"
                problems.append(Problem(source=document.source, state="rejected", reason=outcome, detail=detail))
    return triplets, problems


def _unless_of(scope: str, outcome: Triplet | str) -> Triplet | str:
    return "whose is not said" if isinstance(outcome, Triplet) and outcome.subject.label == scope else outcome


def _caption(lines: list[str], declared: str, above: str, chunk: Chunk, document: Document, at: int) -> Caption:
    """Return the caption of the table at a place of the document, with what its header and its section add."""
    said = above or chunk.section.rpartition(" > ")[2]
    declared = f"{declared}\n{(split(lines[2]) or [''])[0].strip()}" if continued(lines) else declared
    money = at if "$" in "".join(lines) else -1  # ages and counts have no unit from above
    caption = read_caption(said, declared, document, money)
    caption = caption._replace(vintage=caption.vintage or bool(VINTAGE.search(lines[0])))
    caption = caption.headed(chunk.section, document.text[max(at - LOOK_BACK, 0) : at])
    if _PARENT.search(f"{chunk.section} {said}"):
        caption = caption._replace(scope=f"{caption.scope} (parent company alone)")
    return caption


def _between_balances(body: list[TableRow], caption: Caption) -> list[TableRow]:
    """Return the rows with their years, where a statement of changes gives balances of several days one below the
    other."""
    days = [row.head.period if row.head.dated else own_day(row.head.measure, NEVER, caption.years) for row in body]
    found, opening = list(body), NEVER
    marks = [at for at, day in enumerate(days) if day.said.startswith("on ")]
    for at in marks if caption.company else ():
        year = year_between(opening, days[at], caption.years)
        for row in range(max((mark for mark in marks if mark < at), default=at) + 1, at):
            if year != NEVER:
                found[row] = body[row]._replace(head=body[row].head._replace(period=year))
        opening = days[at]
    return found


def _outcomes(
    lines: list[str], caption: Caption, place: TablePlace | None, notes: dict[str, str]
) -> Iterator[tuple[str, Triplet | str]]:
    header = headers(whole_header(lines), caption.years)
    header = [_noted(head, cell, notes) for head, cell in zip(header, split(whole_header(lines)), strict=False)]
    lone = caption.company and caption.stated and len(header) == 2 and not header[1].name
    corner = clean((split(lines[0]) or [""])[0])
    ruled = len(lines) > 1 and "-" in lines[1] and set(lines[1]) <= set("|:- \t")
    body = rows(lines[2:] if ruled else lines, lines[0].endswith("|"), caption.years)
    body = [row._replace(head=_noted(row.head, (split(row.line) or [""])[0], notes)) for row in body]
    if _ENDED.fullmatch(corner):  # "For the month ended" over "November 30, 2023": no day
        body = [_ended(row, corner, caption) for row in body]
    below = continued(lines) if ruled else 0
    above, body = body[:below], body[below:]
    later = sum(caption.years.last < int(one) <= caption.years.last + 9 for one in _YEARS.findall(" ".join(lines[:1])))
    later += sum(caption.years.last < int(one) for row in body for one in _YEARS.findall(row.head.name)[:1])
    if later > 1 and not caption.period:  # what falls due in later years is told as of the report's day
        caption = caption._replace(period=caption.closing)
    body = _between_balances(body, caption)
    if told := read_unit(corner):  # "USD million"
        header[0], caption = NONE, caption._replace(unit=caption.unit or told)
    elif corner.endswith(":") and caption.company and any(head.dated for head in header[1:]):  # "Long-lived assets:"
        areas = 2 * sum(country(row.head.name) is not None for row in body) >= len(body)
        caption = caption._replace(measure=measure(corner[:-1]), noun="country" if areas else "", stated=True)
        header[0] = NONE
    plan = _plan(header, body, caption, place)
    columns = Counter(head.name for head in header)
    names = Counter((row.head.name, row.head.period) for row in body if any(row.cells))
    signed = any("/s/" in line.lower() for line in lines)
    second = next((row.number for row in body if _heads(row, header, corner)), len(lines))
    for row in (*above, *body):
        for at, cell in enumerate(row.cells, 1):
            head = header[at] if at < len(header) else NONE
            flaws = {
                "no header": not ruled or (row.number <= below),
                "signatures": signed,
                "under a second header": row.number >= second,
                "year of origination": caption.vintage and head.dated,
                "cut row": not row.whole,
                "empty cell": bool(EMPTY.fullmatch(cell)),
                "no column name": not head.name and not lone,
                "no row name": not row.head.name or (not plan.columns and _is_amount(row.head)),
                "repeated name": columns[head.name] > 1 or names[row.head.name, row.head.period] > 1,
            }
            flaw = next((reason for reason, holds in flaws.items() if holds), "")
            flaw = flaw or (plan.columns.refuse(row.head.name, at, cell) if plan.columns else "")
            where = f"row {row.number} ({row.head.name[:60]!r}), column {at} ({head.name[:60]!r})"
            yield where, flaw or _stated(row, head, at, plan)


def _noted(head: Head, cell: str, notes: dict[str, str]) -> Head:
    """Return a heading with the scale that the note of one of its marks declares."""
    marks = _MARKS.search(cell.strip())
    scale = next((notes[mark] for mark in re.findall(r"\w", marks[0]) if mark in notes), "") if marks else ""
    return head._replace(unit=scale) if scale and not head.unit else head


def _is_amount(head: Head) -> bool:
    return bool(quantity(head.name, "") and not head.dated)


def _ended(row: TableRow, corner: str, caption: Caption) -> TableRow:
    period = read_period(f"{corner.rstrip(':')} {row.head.name}", caption.years)
    return row if period == NEVER else row._replace(head=row.head._replace(period=period))


def _heads(row: TableRow, header: list[Head], corner: str) -> bool:
    """Return whether a row repeats the header's words within the table: those below are of other periods."""
    cells = [(cell, head.name) for cell, head in zip(row.cells, header[1:], strict=False) if cell]
    alike = all(name.endswith(cell) and not cell[:1].isdigit() for cell, name in cells)
    return len(cells) > 1 and alike and (row.head.name == corner or not row.head.name)


def _stated(row: TableRow, head: Head, at: int, plan: _Plan) -> Triplet | str:
    named = row.head
    day = own_day(row.head.measure, head.period if head.dated else row.head.period, plan.caption.years)
    if day != NEVER:
        named = named._replace(measure=without_day(row.head.measure))
        if _FROM.search(named.measure):
            return "a span of days"
    subject, relation, period = _named(named, head, plan)
    period = day.said or period
    if relation.lower() == plan.caption.scope.lower() or _RETURNS.search(relation):
        return "an index of returns"
    if period is None or not subject or not relation:
        return "no period" if period is None else "no measure" if subject else "no subject"
    largest = plan.largest.get((row.context, at), 0.0)
    own = unit(row, head, relation, at, plan.caption._replace(noun=plan.noun), plan.signs, largest)
    term = value(row.cells[at - 1], relation, own)
    if term is not None and term.kind == "entity" and plan.form == "company":
        term = None  # "Former Chief Executive": of two columns of people
    if term is None:
        return "not a value"
    found, where = Term(label=subject, kind="entity"), f"row {row.number}, column {at}"
    return Triplet(subject=found, relation=relation, object=term, sentence=row.line, cell=where, period=bare(period))


def _plan(header: list[Head], body: list[TableRow], caption: Caption, place: TablePlace | None) -> _Plan:
    """Return how the table is to be read: see the top of this file."""
    stub, values = (header[0] if header else NONE), [head for head in header[1:] if head.name]
    scaled = stub.unit or stub.dated or SCALED.search(stub.name) or _PERIODS.fullmatch(stub.name)
    stub = NONE if scaled else stub
    latest = max((head for head in values if head.dated), key=lambda head: head.period.order, default=NONE)
    known = 2 * sum(bool(KNOWN.search(row.head.name)) for row in body) > len(body)
    listed = bool(MEASURES.fullmatch(stub.name)) or (known and not caption.noun)
    company = caption.company and not _noun(stub.measure)
    form: _Form = "columns"
    told = place is not None and any(head.dated and head.measure for head in values)  # "Revenue 2022 | Revenue 2023"
    if values and 2 * sum(head.dated for head in values) >= len(values) and not told:
        parts = caption.noun or (stub.measure and not listed)
        form = "parts" if parts and (caption.measure or not caption.company or _noun(stub.measure)) else "measures"
    elif body and all(row.head.dated and not row.head.measure.strip(" ,") for row in body):
        form = "periods down"
    elif MEASURES.fullmatch(stub.name) or (listed and not stub.name and not company):
        form = "lone" if len(values) == 1 and _VALUES.fullmatch(values[0].name) else "names"
    elif company:
        form = "company"
    signs, sizes = _signs(body, form), _largest(body, header)
    found = _Plan(form, stub.measure or caption.noun, latest, caption, signs, _whole(body), sizes)
    if form not in ("columns", "names", "lone", "periods down") or place is None:
        return found
    columns = read_columns(header, [row for row in body if any(row.cells)], place)
    if form == "periods down":
        series = all(kind == "value" for kind in columns.kinds)
        return found._replace(columns=columns._replace(fault="" if series else "no series of numbers"))
    if form == "names" and columns.fault in ("a comparison", "a single row") and "phrase" not in columns.kinds:
        return found
    return found._replace(form="list", columns=columns, caption=caption._replace(scope=place.said))


def _signs(body: list[TableRow], form: _Form) -> list[str]:
    """Return what a column's amounts are where only some of them say so: "USD" or "%"; of all where columns are
    periods."""
    width = max((len(row.cells) for row in body), default=0)
    columns = [[cell for row in body for cell in row.cells[at : at + 1]] for at in range(width)]
    dollars = [any("$" in cell for cell in column) for column in columns]
    parts = [any(cell.endswith("%") for cell in column) for column in columns]
    rates = [all(cell.endswith("%") or not re.search(r"\d", cell) for cell in column) for column in columns]
    small = [not any(sign in cell for cell in column for sign in "$,") for column in columns]  # the first says for all
    alike = form in ("parts", "measures") and 2 * sum(dollars) >= width
    return [
        "%" if part and (rate or bare) else "USD" if alike or money else "%" if part else ""
        for money, part, rate, bare in zip(dollars, parts, rates, small, strict=True)
    ]


def _largest(body: list[TableRow], header: list[Head]) -> dict[tuple[str, int], float]:
    """Return the largest number of each column under each group of rows, where group or column say that they count."""
    found: dict[tuple[str, int], float] = {}
    for row in body:
        for at, cell in enumerate(row.cells, 1):
            name = header[at].measure if at < len(header) else ""
            if COUNTED.search(f"{row.context} {name}") and "$" not in cell and "." not in cell:
                found[row.context, at] = max(found.get((row.context, at), 0.0), number(cell))
    return found


def _whole(body: list[TableRow]) -> str:
    """Return what a statement in per cent is a share of: its row of revenue that is 100 % throughout."""
    for row in body:
        cells = [cell for cell in row.cells if cell]
        if (
            _REVENUE.fullmatch(row.head.name)
            and cells
            and all(_HUNDRED.fullmatch(cell) for cell in cells if cell != "%")
        ):
            return row.head.measure
    return ""


def _noun(text: str) -> bool:
    """Return whether a heading names the kind of a table's rows: "Segment", "City"."""
    return any(kind.fullmatch(text) for kind in (_PLACES, _AREAS, _PARTS, _NAMES))


def _named(row: Head, head: Head, plan: _Plan) -> tuple[str, str, str | None]:
    """Subject, relation and period of a cell; "" for what cannot be told, None for a period that there should be."""
    form, noun, latest, caption, _, whole, *_ = plan
    total = bool(TOTAL.fullmatch(row.name))
    summed = form == "parts" and row.name.lower().startswith("total ")
    if form in ("parts", "measures"):
        grown = bool(GROWTH.match(head.name)) and not head.dated
        relation = caption.measure if total or form == "parts" else caption.under(row.measure)
        relation = row.measure if summed else relation  # "Total revenues from services": of less than all
        relation = f"{relation} as a share of {whole}" if whole and relation and relation != whole else relation
        relation = f"{relation} {head.measure}" if grown and relation else relation
        more = head.measure if head.dated and head.measure != relation else ""  # "Revenue 2031" under "Revenue by …"
        relation = f"{relation}, {more}" if more and relation else relation
        subject = caption.scope if total or summed or form == "measures" else _part(row.name, noun, caption)
        return subject, relation, (latest.period if grown else head.period).said or None
    if form == "company":
        period = (head.period if head.dated else row.period).said or caption.period
        if caption.noun and caption.measure and head.dated and not total:
            relation = ", ".join(dict.fromkeys(filter(None, (caption.measure, head.measure))))
            return _part(row.name, noun, caption), relation, period
        relation = ", ".join(dict.fromkeys(filter(None, (row.measure, head.measure))))
        told = caption.stated or not row.dated or KNOWN.search(relation)  # a component of what, by date
        return caption.scope, caption.under(relation) if told else "", period or None
    simple = {
        "periods down": (caption.scope, head.measure, row.period.said),
        "lone": (caption.scope, row.measure, caption.period),
        "names": (head.name, row.measure, ""),
        "list": ("" if total else _listed(row.name, noun, caption), head.measure, head.period.said),
    }
    if form in simple:
        return simple[form]
    shared = caption.unit and not head.unit and not COUNTED.search(head.name) and caption.measure not in head.measure
    relation = f"{caption.measure} {head.measure}" if shared else head.measure
    if total or not _alone(noun, caption):
        return caption.scope if total else _part(row.name, noun, caption), relation, caption.period
    return "" if _VAGUE.fullmatch(row.name) else row.name, relation, ""


def _alone(noun: str, caption: Caption) -> bool:
    """Return whether a row's name needs no scope: a city in a survey, not a market in a company's report."""
    return (
        (not noun and not caption.company)
        or bool(_NAMES.fullmatch(noun))
        or (bool(_PLACES.fullmatch(noun)) and not caption.company)
    )


def _listed(name: str, noun: str, caption: Caption) -> str:
    """Return the name of a row of a list, with where the list stands; "" where nothing tells that."""
    if (
        noun and _alone(noun, caption) and name[:1].isupper() and noun.lower() != "name"
    ):  # which says nothing of its kind
        return name
    return row_at(name, noun or "row", caption.scope).label if caption.scope else ""


def _part(name: str, noun: str, caption: Caption) -> str:
    """Return a row's name under the scope; "" if there is none."""
    kind = noun.lower()
    if not caption.scope or _alone(noun, caption):
        return name if _alone(noun, caption) else ""
    if caption.company and (_PLACES.fullmatch(noun) or _AREAS.fullmatch(noun)):
        return f"{caption.scope} in {name}"
    if not noun or kind in name.lower() or _AREAS.fullmatch(noun):
        return f"{name} of {caption.scope}"
    kind = re.sub("(?<=[^s])s$", "", re.sub("(?<=ss)es$", "", re.sub("ies$", "y", kind)))
    return f"{name} {kind} of {caption.scope}" if _PARTS.fullmatch(noun) else ListedRow(name, kind, caption.scope).label
