"""The cover page of a 10-K: who files, for which year; from its inline XBRL tags, else from its words."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime

from kgservice.core.records import Scalar
from loaders.html import HtmlPage
from loaders.shared.fields import folded

TAGS = {
    "company": "EntityRegistrantName",
    "ticker": "TradingSymbol",
    "cik": "EntityCentralIndexKey",
    "fiscal_year": "DocumentFiscalYearFocus",
    "period": "DocumentPeriodEndDate",
    "form": "DocumentType",
    "state": "EntityIncorporationStateCountryCode",
    "city": "EntityAddressCityOrTown",
    "auditor": "AuditorName",
}
COVER = 20_000  # characters in which a cover's words are looked for
DAY = r"([A-Z][a-z]{2,8})\.?\s+(\d{1,2})\s*,?\s+(\d{4})"
_COMPANY = re.compile(
    r"^(?P<name>[^\n]+)\n+\W*\(?\s*exact\s+name\s+of\s+(?:the\s+)?registrant", re.IGNORECASE | re.MULTILINE
)
_PERIOD = re.compile(rf"(?:fiscal\s+)?year\s+ended:?\s*{DAY}", re.IGNORECASE)
_TICKER = re.compile(
    r"symbols?\W+(?:is\s+)?[“\"'‘]([A-Z][A-Z.]{0,5})[,.]?[”\"'’]|\((?:NYSE|NASDAQ)[^):]*:\s*([A-Z.]{1,6})\)", re.I
)
_CIK = re.compile(r"(?:CIK|central index key)\W{1,12}(\d{10})\b", re.IGNORECASE)
_FORM = re.compile(r"\bform\s+(10-K(?:/A|405|SB|T)?)\b", re.IGNORECASE)
SIGNATURES = re.compile(r"^[^\w\n]*signatures?[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
_DATED = re.compile(DAY)


def tagged(page: HtmlPage) -> dict[str, str]:
    """What the cover's inline XBRL says, by the names of TAGS; to be asked before hidden parts are dropped."""
    found: dict[str, str] = {}
    for tag in page.find_all("ix:nonnumeric", attrs={"name": re.compile("^dei:")}):
        found.setdefault(str(tag["name"])[4:], folded(tag.get_text()))
    return {name: found[tag] for name, tag in TAGS.items() if found.get(tag)}


def cover(text: str, said: dict[str, str]) -> dict[str, Scalar]:
    """Company, ticker, cik, fiscal_year, period (ISO) and form: tagged ones, the rest as the cover's words give them.

    A year that is named nowhere is the one in which the period ends.
    """
    head = text[:COVER]
    known: dict[str, Scalar] = {"form": said.get("form") or _first(_FORM, head).upper()}
    printed = folded(_first(_COMPANY, head)).strip(" |#*-_")
    name = in_mixed_case(printed if 2 < len(printed) <= 80 else said.get("company", ""), text)
    period = _day(said.get("period", "")) or _found_day(_PERIOD.search(head))
    year = said.get("fiscal_year", "")
    known |= {"company": name, "ticker": said.get("ticker") or _first(_TICKER, text).strip(".")}
    known |= {"cik": (said.get("cik") or _first(_CIK, head)).zfill(10).replace("0" * 10, "")}
    if period:
        known |= {"period": period.isoformat(), "fiscal_year": period.year}
    if re.fullmatch(r"\d{4}", year):
        known["fiscal_year"] = int(year)
    return {key: value for key, value in known.items() if value}


def signed(text: str, period: str) -> date | None:
    """The day it was signed, which is the day it was filed or the one before; None where no signature is dated.

    It is the first day named under "Signatures" in the year after the period's end.
    """
    end = _day(period)
    days = (
        _found_day(found)
        for heading in SIGNATURES.finditer(text, len(text) // 2)
        for found in _DATED.finditer(text, heading.end(), heading.end() + COVER)
    )
    return next((day for day in days if day and end and 0 < (day - end).days < 366), None)


def in_mixed_case(name: str, text: str) -> str:
    """The name as the text writes it, where the cover has it in capitals."""
    if not in_capitals(name):
        return name
    spellings = (found[0] for found in re.finditer(re.escape(name), text, re.IGNORECASE))
    return next((folded(one) for one in spellings if one[0].isupper() and not in_capitals(one)), name)


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return next((group for group in found.groups() if group), "") if found else ""


def in_capitals(name: str) -> bool:
    return 2 * sum(map(str.isupper, name)) > sum(map(str.isalpha, name))


def _found_day(found: re.Match[str] | None) -> date | None:
    return _day(f"{found[1]} {found[2]}, {found[3]}") if found else None


def _day(text: str) -> date | None:
    for form in ("%B %d, %Y", "%b %d, %Y", "%Y-%m-%d"):
        with suppress(ValueError):
            return datetime.strptime(folded(text).title(), form).date()
    return None
