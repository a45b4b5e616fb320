"""What a cell's value is: a number with the unit that its row, column, table or caption gives it, a date or a name."""

from __future__ import annotations

import re

from kgservice.extraction.captions import Caption
from kgservice.extraction.cells import Head, Row
from kgservice.model import Term
from kgservice.values import SCALES, quantity, read_value

COUNTED = re.compile(
    r"(?i)\b(?:numbers?|employees|headcount|staff|shares|stores|restaurants|customers|population|units|rsus|psus)\b"
)
_SHARES = re.compile(
    r"(?i)\bnumber of\b|\bshares? (?:used|outstanding)|\b(?:average|diluted|basic)\b.{0,40}\bshares\b"
    r"|\b(?:anti-?)?dilutive (?:effect|employee|securities|share|stock|potential|common)"
)
_PAID = re.compile(
    r"(?i)\b(?:authorized|values?|price|proceeds|costs?|repurchases? of|purchases? of|issuances? of|issued|"
    r"compensation|dividends?|payments?|tax(?:es)?|withheld|amounts?|revenues?|premiums?|treasury|per|sales|stock,)\b"
)
_PER_SHARE = re.compile(
    r"(?i)\bper (?:[\w-]+ ){0,2}(?:share|unit|rsu|psu|option|award)\b|\beps\b|\b(?:share|exercise) prices?\b"
    r"|\b(?:grant[- ]date|weighted[- ] ?average) .*(?:price|fair value)\b"
)
_RATIO = re.compile(
    r"(?i)\b(?:margin|ratio|share of|percent(?:age)?|yield|volatility|rates?$|(?:tax|interest|discount) rates?)\b"
    r"|\bper\b|%$|% of"
)
_LASTING = re.compile(
    r"(?i)\bages?\b|\b(?:in|remaining) years\b|\(years\)|\b(?:contractual|average|remaining) term\b|\blife\b"
)
GROWTH = re.compile(r"(?i)(?:growth|change|increase|decrease|variation)\b")
_DATES = re.compile(r"(?i)\b(?:years?|founded|opened|established|since|dates?|start|end|launched|complet\w+|born)\b")


def unit(row: Row, head: Head, relation: str, at: int, caption: Caption, sign: str) -> str:
    """The unit of a cell that names none: its column's or row's own, else the caption's where that can be meant."""
    cell = row.cells[at - 1]
    lead = next((cell for cell in row.cells if cell), "")  # some give the sign in a row's first cell alone
    sign = "USD" if "$" in lead else "%" if lead.endswith("%") else sign
    currency = sign if sign != "%" else ""
    words = f"{row.context} {relation}"
    counted = bool(_SHARES.search(words) or (COUNTED.search(words) and not _PAID.search(words)))
    per_share = bool(_PER_SHARE.search(words)) and not _SHARES.search(words)
    if (own := head.unit or row.head.unit) and (own not in SCALES or counted):
        return own
    money = any(sign in "".join(row.cells) for sign in "$€£¥,")
    ratio = _RATIO.search(relation) and not money and not counted and not caption.unit.startswith("%")
    if sign == "%" and not money:
        return sign
    told = sign == "%" or "%" in head.name or "percent" in head.name.lower() or not caption.unit
    lasting = _LASTING.search(words) and not re.search(r"\d{4}|[$,]", cell)  # 5.5 years, beside what is in millions
    if (GROWTH.match(head.name) and told) or cell.endswith("%") or (ratio and not per_share) or lasting:
        return ""
    if per_share:
        return currency
    if counted and re.search("[A-Z%]", f"{caption.unit}{currency}"):
        return caption.counted
    whole = own or caption.unit
    return f"{whole} {currency}".strip() if not whole or whole in SCALES else whole


def value(cell: str, relation: str, of: str) -> Term | None:
    """A number with its unit, a date, or a short name; None for anything else."""
    kind, known, _ = read_value(cell)
    if kind == "date" and (len(cell) > 4 or _DATES.search(relation)):
        return Term(label=cell, kind="date", value=known)
    if label := quantity(cell, of):
        _, known, base = read_value(label)
        return Term(label=label, kind="number", value=float(known or 0), unit=base)
    letters = sum(sign.isalpha() for sign in cell)
    named = 1 < len(cell) <= 60 and 2 * letters >= len(cell.replace(" ", "")) and cell.lower() not in ("yes", "no")
    return Term(label=cell, kind="entity") if named else None
