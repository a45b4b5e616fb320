"""The cover page of a 10-K: company, year and more, from its inline XBRL tags, else from its words."""

from __future__ import annotations

import re
from datetime import date

from kgservice.core.records import Scalar
from loaders.html import HtmlPage
from loaders.shared.fields import day, folded

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
COVER = 20_000  # characters searched for a cover's words
DAY = r"([A-Z][a-z]{2,8})\.?\s+(\d{1,2})\s*,?\s+(\d{4})"
_COMPANY = re.compile(
    r"^(?P<name>[^\n]+?)(?:\n\W{0,40}|(?<! ) +\()\s{0,9}exact\s+name\s+of\s+(?:the\s+)?registrant",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(  # a cover without that label: the line under the number, but not a state with its label
    r"commission\s+file\s+(?:number|no\b)[^\n\d]*\d[^\n]*\n+"
    r"(?P<name>(?!.*\d\d)[^\n:(]{3,80})\n(?!\n*\W*state\s+or|\s*\(\s*(?:state|jurisdiction))",
    re.IGNORECASE,
)
_SIGNER = re.compile(
    r"undersigned\W+(?:there\w+\W+)?duly\s+authorized\.?[^\S\n]{0,9}\n\W{0,40}"
    r"(?:registrant\)?\W{0,9})?(?P<name>\w[^\n|:/]{2,80}?)(?:\s*\(registrant\)|\n)",
    re.IGNORECASE,
)
_NO_COMPANY = re.compile(r"(?i)^(?:commission|by|dated?|indicate|registrant)\b|\bcommission file\b|\b(?:19|20)\d\d$")
_PERIOD = re.compile(rf"(?:fiscal\s+)?year\s+ended:?\s*{DAY}", re.IGNORECASE)
_TICKER = re.compile(
    r"symbols?\W+(?:is\s+)?[“\"'‘]([A-Z][A-Z.]{0,5})[,.]?[”\"'’]|\((?:NYSE|NASDAQ)[^):]*:\s*([A-Z.]{1,6})\)", re.I
)
_CIK = re.compile(r"(?:CIK|central index key)\W{1,12}(\d{10})\b", re.IGNORECASE)
_FORM = re.compile(r"\bform\s+(10-K(?:/A|405|SB|T)?)\b", re.IGNORECASE)
SIGNATURES = re.compile(r"^[^\w\n]*signatures?[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
_DATED = re.compile(DAY)
_FORMS = {
    "co": r"co(?:mpany|\.)?",
    "corp": r"corp(?:oration|\.)?",
    "inc": r"inc(?:orporated|\.)?",
    "ltd": r"(?:ltd\.?|limited)",
}


def tagged(page: HtmlPage) -> dict[str, str]:
    """Return the cover's inline XBRL values by the names of TAGS. Call it before hidden parts are dropped."""
    values: dict[str, str] = {}
    for tag in page.find_all("ix:nonnumeric", attrs={"name": re.compile("^dei:")}):
        values.setdefault(str(tag["name"])[4:], folded(tag.get_text()))
    return {name: values[tag] for name, tag in TAGS.items() if values.get(tag)}


def cover(text: str, said: dict[str, str]) -> dict[str, Scalar]:
    """Return company, ticker, cik, fiscal_year, period (ISO) and form.

    Tagged values come first, but for the company's name, then the cover's words. Without a fiscal year it is the year
    in which the period ends.
    """
    head = text[:COVER]
    fields: dict[str, Scalar] = {"form": said.get("form") or _first(_FORM, head).upper()}
    name = in_mixed_case(_company(text, said.get("company", "")), text)
    period = day(said.get("period", "")) or _found_day(_PERIOD.search(head))
    year = said.get("fiscal_year", "")
    fields |= {"company": name, "ticker": said.get("ticker") or _first(_TICKER, text).strip(".")}
    fields |= {"cik": (said.get("cik") or _first(_CIK, head)).zfill(10).replace("0" * 10, "")}
    if period:
        fields |= {"period": period.isoformat(), "fiscal_year": period.year}
    if re.fullmatch(r"\d{4}", year):
        fields["fiscal_year"] = int(year)
    return {key: value for key, value in fields.items() if value}


def _company(text: str, tagged_name: str) -> str:
    """Return the registrant's name: above its label, as tagged, under the number of the commission, as it signs.

    A cover may show a picture of it alone.
    """
    head, rest = text[:COVER], text[len(text) // 3 :]
    for found in (_first(_COMPANY, head), tagged_name, _first(_NUMBERED, head), _first(_SIGNER, rest)):
        name = re.sub(
            r"\s*\((?:the )?(?:registrant|company)\)$", "", folded(found).strip(" |#*-_"), flags=re.IGNORECASE
        )
        if 2 < len(name) <= 80 and not _NO_COMPANY.search(name):
            return name
    return ""


def signed(text: str, period: str) -> date | None:
    """Return the day of signature, which is the filing day or the one before, or None if no signature is dated.

    It is the first day under "Signatures" within a year after the period's end.
    """
    end = day(period)
    days = (
        _found_day(match)
        for heading in SIGNATURES.finditer(text, len(text) // 2)
        for match in _DATED.finditer(text, heading.end(), heading.end() + COVER)
    )
    return next((day for day in days if day and end and 0 < (day - end).days < 366), None)


def in_mixed_case(name: str, text: str) -> str:
    """Return the name as the text mostly has it, if the cover has it in capitals: "Lun-Orr Company" of "LUN ORR CO"."""
    words = re.findall(r"[^\W_]+", name)
    if not words or not in_capitals(name):
        return name
    spelt = r"[^\w\n]{1,3}".join(_FORMS.get(word.lower(), re.escape(word)) for word in words)
    end = r"\.?" if name.endswith(".") else ""
    found = re.finditer(rf"(?:\bThe )?\b{spelt}{end}(?!\w)", text, re.IGNORECASE)
    spellings = [folded(one[0]) for one in found if not one[0][0].islower() and not in_capitals(one[0])]
    return max(spellings, key=spellings.count) if spellings else name


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return next((group for group in match.groups() if group), "") if match else ""


def in_capitals(name: str) -> bool:
    return 2 * sum(map(str.isupper, name)) > sum(map(str.isalpha, name))


def _found_day(found: re.Match[str] | None) -> date | None:
    return day(f"{found[1]} {found[2]}, {found[3]}") if found else None
