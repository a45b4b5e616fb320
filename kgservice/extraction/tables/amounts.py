"""What a cell's value is: a number with the unit that its row, column, table or caption gives it, a date or a name."""

from __future__ import annotations

import re
from typing import NamedTuple

from kgservice.core.records import Term
from kgservice.extraction.tables.captions import Caption
from kgservice.extraction.tables.cells import Head, TableRow, unread
from kgservice.extraction.tables.scales import read_scale
from kgservice.text.values import DOUBT, SCALES, quantity, read_value

COUNTED = re.compile(
    r"(?i)\b(?:numbers?|employees|headcount|staff|shares|stores|restaurants|customers|population|units|rsus|psus)\b"
)
_SHARES = re.compile(
    r"(?i)\bnumber of\b|\bshares? (?:used|outstanding)|\b(?:average|diluted|basic)\b.{0,40}\bshares\b"
    r"|\b(?:anti-?)?dilutive (?:effect|impact|equity|employee|securities|share|stock|potential|common)"
)
_PAID = re.compile(
    r"(?i)\b(?:authorized|values?|price|proceeds|costs?|repurchases? of|purchases? of|issuances? of|issued|"
    r"compensation|dividends?|payments?|tax(?:es)?|withheld|amounts?|revenues?|premiums?|treasury|per|sales|stock,)\b"
)
_PER_SHARE = re.compile(
    r"(?i)\bper (?:[\w-]+ ){0,2}(?:share|unit|rsu|psu|option|award)\b|\beps\b|\b(?:share|exercise) prices?\b"
    r"|\b(?:grant[- ]date|weighted[- ] ?average|wtd\. avg\.|average) .*(?:price|fair value)\b"
    r"|\b(?:rsu|psu|option|award|unit)s? fair value\b"
)
_RATIO = re.compile(
    r"(?i)\b(?:margin|ratio|share of|percent(?:age)?|yield|volatility|rates?$|(?:tax|interest|discount) rates?)\b"
    r"|\bper\b|(?<!\d)%$|(?<!\d)% of"
)
_RATE = re.compile(  # which are per cent where nothing is said
    r"(?i)\b(?:interest|coupon|tax|discount|effective)\b.*\brates?\b|\byield\b|\bvolatility\b|\brates? of return\b"
)
_AMOUNT = re.compile(r"(?i)\bamounts?\b|\bdollars\b")
_LASTING = re.compile(
    r"(?i)\bages?\b|\b(?:in|remaining) years\b|\(years\)|\b(?:contractual|average|remaining) term\b"
    r"|\b(?:useful|expected|remaining|contractual|average) (?:\w+ )?li(?:fe|ves)\b"
)
_SHARE = re.compile(r"(?i)(?<!\d)(?<!\d )%|^percent(?:age)?\b|\bpercent(?:age)?$")
_FLOWS = re.compile(
    r"(?i)\b(?:income|loss|losses|earnings|sales|revenues?|values?|proceeds|expenses?|dividends|amounts?|costs?)\b"
)
# names of columns
_COUNTING = re.compile(
    r"(?i)(?<!\bper )\b(?:shares?|quantity|number)$|^(?:stock )?(?:options|units|rsus|psus)$|^numbers? of\b"
    r"|\b(?:authorized|issued and outstanding)$"
)
_PER_FORM = re.compile(r"(?i)\b(?:basic|diluted)\b")
_PLAIN = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?|\(\d[\d,]*(?:\.\d+)?\)")  # a number without sign or unit
_ASIDE = re.compile(r"\([^()]*[\d—–][^()]*\)|\bdesignated as\b.*")
MAX_COUNT = 1e11  # of shares; what would be more is written in full, whatever the table's note says
_HELD = re.compile(r"(?i)\b(?:shares?|stock|options?|units|awards|rsus|psus)\b")
_FEWER = (  # there are not more on earth, or in one company
    (re.compile(r"(?i)\b(?:employees|headcount|staff|stores|restaurants)\b"), 1e7),
    (re.compile(r"(?i)\b(?:customers|subscribers|users|members|population|people|persons)\b"), 1e10),
)
LEAST = 1_000  # what an amount per share without a decimal point may be
GROWTH = re.compile(r"(?i)(?:growth|change|increase|decrease|variation)\b")
_DATES = re.compile(r"(?i)\b(?:years?|founded|opened|established|since|dates?|start|end|launched|complet\w+|born)\b")


class Unit(NamedTuple):
    """A unit as it follows a number; `doubtful`: by how much the number is to be multiplied is not certain.

    `sign` is what stands before the number, where all tables of a document write its amounts alike: some rows of a
    report have "$391,035", others "391,035".
    """

    text: str
    doubtful: bool = False
    sign: str = ""


def unit(
    row: TableRow, head: Head, relation: str, at: int, caption: Caption, signs: list[str], largest: float = 0.0
) -> Unit:
    """Return the unit of a cell that names none: its column's or row's own, else the caption's where that can be meant.

    `largest`: the largest count beside it, which has the same scale.
    """
    cell = row.cells[at - 1]
    sign = _sign(row, at, signs)
    currency = sign if sign != "%" else ""
    counts = read_scale(row.context).counts or caption.counted
    kind = _kind(row, head, relation, cell, caption._replace(counted=counts), money=signs[at - 1] == "USD")
    own = head.unit or row.head.unit
    own = "" if caption.company and caption.unit and not re.search("[A-Z%]", own) and own not in SCALES else own
    if own and (own not in SCALES or kind == "counted"):
        return Unit(own)
    money = any(sign in "".join(row.cells) for sign in "$€£¥,")
    share = (sign == "%" or caption.unit == "%" or _SHARE.search(head.measure)) and "$" not in cell and not kind
    if share or (sign == "%" and not money):
        return Unit("%")
    ratio = not kind and _is_ratio(row, head, relation, cell)
    told = "%" in head.name or "percent" in head.name.lower() or not caption.unit
    lasting = _LASTING.search(relation) and not re.search(r"\d{4}|[$,]", cell)  # 5.5 years, beside what is in millions
    if (GROWTH.match(head.name) and told) or cell.endswith("%") or ratio or lasting:
        return Unit("%" if ratio and _RATE.search(_plain(relation)) and not cell.endswith("%") else "")
    if kind == "per share":
        return Unit(currency)
    if kind == "counted" and (counts or re.search("[A-Z%]", f"{caption.unit}{currency}")):
        said = f"{row.head.measure} {head.measure} {relation}"
        other = "." in cell or any(words.search(said) for words in (_HELD, _PAID, _FLOWS))  # "restaurant expenses"
        most = next((most for counted, most in _FEWER if counted.search(said) and not other), MAX_COUNT)
        return Unit("" if max(number(cell), largest) * SCALES.get(counts, 1) > most else counts)
    whole = own or caption.unit
    money = caption.company and (bool(currency) or "USD" in whole)
    doubtful = (money and caption.doubtful and own not in SCALES) or (
        not whole and (caption.unread or unread(head.name) or unread(row.head.name))
    )
    doubtful = doubtful and not any(sign.isalpha() for sign in cell)
    full = f"{whole} {currency}".strip() if not whole or whole in SCALES else whole
    return Unit(full, doubtful, caption.sign if full.endswith("USD") else "")


def _is_ratio(row: TableRow, head: Head, relation: str, cell: str) -> bool:
    """Return whether a cell is a rate: by the column's own words, else by the row's and the table's; beside it an
    amount is none."""
    if "." not in "".join(row.cells) or any(sign in cell for sign in "$€£¥,"):
        return False
    if _RATIO.search(_plain(head.measure)):
        return True
    money = any(sign in "".join(row.cells) for sign in "$€£¥,")
    return not money and not _AMOUNT.search(head.measure) and bool(_RATIO.search(_plain(relation)))


def number(cell: str) -> float:
    """Return the size of a number as it is printed."""
    found = re.search(r"\d[\d,]*(?:\.\d+)?", cell)
    return float(found[0].replace(",", "")) if found else 0.0


def _sign(row: TableRow, at: int, signs: list[str]) -> str:
    """Return a cell's sign: some rows give it in their first cell alone, which speaks for columns of its own kind."""
    lead = next((place for place, cell in enumerate(row.cells) if cell), 0)
    if signs[lead] == signs[at - 1] or not signs[at - 1]:
        return "USD" if "$" in row.cells[lead] else "%" if row.cells[lead].endswith("%") else signs[at - 1]
    return signs[at - 1]


def _kind(row: TableRow, head: Head, relation: str, cell: str, caption: Caption, *, money: bool) -> str:
    """Return "counted", "per share" or "" for a cell: by its own names, else by the group and caption around them.

    `money`: its column has signs of money.
    """
    decimal = "." in cell or (number(cell) < LEAST and any("." in one for one in row.cells))
    if _is_count(row, head, cell, caption, money=money):
        return "counted"
    own = row.head.measure if row.head.measure in relation else ""  # else the row is a part, which measures nothing
    for words in (f"{own} {head.measure}", f"{row.context} {relation}", f"{caption.noun} {relation}"):
        said = _plain(words)
        counted = bool(_SHARES.search(said) or (COUNTED.search(said) and not _PAID.search(said)))
        if counted and "$" not in cell and not ("." in cell and not caption.counted and caption.unit):
            return "counted"
        if _PER_SHARE.search(said) and not _SHARES.search(said) and decimal:
            return "per share"
        if not own and _PER_SHARE.search(_plain(row.head.measure)) and decimal:
            return "per share"
        if _FLOWS.search(said) and not (decimal and _PER_FORM.search(said)):
            break
    # "shares in millions" says so of all that is no money
    return "counted" if caption.company and caption.counted and not caption.unit and "$" not in cell else ""


def _is_count(row: TableRow, head: Head, cell: str, caption: Caption, *, money: bool) -> bool:
    """Return whether a table, a column or a row that is a part counts things, by its own words."""
    if not caption.money and caption.company and COUNTED.search(caption.measure) and not _PAID.search(caption.measure):
        return True
    if "$" in cell:
        return False
    if caption.company and caption.counted and not caption.unit and not caption.money:  # "(Shares in millions)"
        return True
    counting = _COUNTING.search(head.measure) or _SHARES.search(_plain(row.head.measure))
    return bool(counting or (COUNTED.search(head.measure) and not money and not _PAID.search(head.measure)))


def _plain(words: str) -> str:
    """Return names without what stands in brackets: "Dividends ($4.21 per share)" are dividends."""
    return _ASIDE.sub("", words)


def _signed(cell: str, sign: str) -> str:
    """Return a number with a sign of money right before it, behind its minus."""
    if not sign:
        return cell
    cell = cell.replace(f"{sign} ", sign)
    if not _PLAIN.fullmatch(cell):
        return cell
    return f"-{sign}{cell[1:]}" if cell[0] in "-−" else f"{sign}{cell}"


def value(cell: str, relation: str, of: Unit) -> Term | None:
    """Return a number with its unit, a date, or a short name; else None. A doubtful number has no value."""
    kind, known, _ = read_value(cell)
    if kind == "date" and (len(cell) > 4 or _DATES.search(relation)):
        return Term(label=cell, kind="date", value=known)
    if of.doubtful and (label := quantity(cell, "")):
        return Term(label=f"{label} {DOUBT}", kind="number")
    if label := quantity(_signed(cell, of.sign), of.text):
        _, known, base = read_value(label)
        return Term(label=label, kind="number", value=float(known or 0), unit=base)
    letters = sum(sign.isalpha() for sign in cell)
    named = 1 < len(cell) <= 60 and 2 * letters >= len(cell.replace(" ", "")) and cell.lower() not in ("yes", "no")
    return Term(label=cell, kind="entity") if named else None
