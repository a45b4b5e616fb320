"""Reads periods off headings: "2031", "Q1 2031", "Years ended 30 September 2031", "As of December 31, 2031"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from kgservice.model import Scalar
from kgservice.values import MONTHS, read_value

_YEARS = re.compile(
    r"(?i)(?P<fiscal>FY ?|(?:fiscal|financial) (?:years? )?)?(?:years? )?"
    r"(?P<said>(?:(?:[QH][1-4]|9M) )?(?P<year>(?:1[89]|20|21)[0-9]{2})(?:[/–-][0-9]{2}(?:[0-9]{2})?)?"
    r"(?: ?[EFp]| \((?:forecast|estimated?|plan|projected|target|budget)\))?)"
)
_AGAINST = frozenset(("vs.", "vs", "versus"))  # "Variance vs. March 31, 2030" is of another period
_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS.split()) + "|sept"
_DAY = rf"(?:(?:{_MONTH})\.? \d{{1,2}},? |\d{{1,2}} (?:{_MONTH}) )(?:1[89]|20|21)\d\d"
_ENDED = re.compile(
    r"(?i)(?:for (?:the )?|the )?"
    r"(?:(?P<year>(?:(?:fiscal|financial|calendar) )?years?|twelve months|12 months|5[23] weeks)"
    rf"|(?P<span>(?:\w+ )?(?:months?|weeks?|quarters?)))(?: then)? ended:? (?:on )?(?P<day>{_DAY})"
)
_AT = re.compile(rf"(?i)(?:balances?,? )?(?:(?:as )?(?:of|at) )?(?P<day>{_DAY})")
_QUARTER = re.compile(r"(?i)(?:fiscal )?(?P<year>(?:19|20|21)\d\d),? (?P<which>first|second|third|fourth) quarter")
_AS_OF = re.compile(rf"(?i)\b(?:as of|at|on|outstanding at) (?P<day>{_DAY})")
_ABBREVIATED = re.compile(rf"(?i)^({_MONTH})\.?(?= \d)")


class Calendar(NamedTuple):
    """Whether years are fiscal ones, by how much such a year's number is above the year of its last day, and the last.

    A later year is none that a report can report: "2033" beside what falls due then is a name.
    """

    fiscal: bool = False
    shift: int = 0
    last: int = 9999


class Period(NamedTuple):
    """A period as words, "in fiscal 2031" or "on March 31, 2031", and what sorts it in time; both "" for none."""

    said: str
    order: str


NEVER, NO_CALENDAR = Period("", ""), Calendar()


def calendar(metadata: Mapping[str, Scalar]) -> Calendar:
    """Return a document's: fiscal where it names its fiscal year (GameStop's 2023 ends in February 2024: -1)."""
    year, end = metadata.get("fiscal_year"), str(metadata.get("period", ""))[:4]
    known = year if isinstance(year, int) and end.isdigit() else None
    return Calendar(year is not None) if known is None else Calendar(True, known - int(end), known)


def read_period(text: str, years: Calendar) -> Period:
    """Return the period that a heading is, as a whole."""
    if found := _YEARS.fullmatch(text):
        if int(found["year"]) > years.last:
            return NEVER
        whole = found["said"] == found["year"] and (years.fiscal or found["fiscal"])
        return Period(f"in {'fiscal ' if whole else ''}{found['said']}", found["year"])
    if found := _ENDED.fullmatch(text):
        day = _whole_month(found["day"])
        _, value, _ = read_value(day)
        if found["year"] and years.fiscal:
            return Period(f"in fiscal {int(str(value)[:4]) + years.shift}", str(value))
        span = "year" if found["year"] else found["span"].lower()
        return Period(f"in the {span} ended {day}", str(value))
    if found := _AT.fullmatch(text):
        text = found["day"]
    text = _whole_month(text)
    kind, value, _ = read_value(text)
    if kind != "date" or int(str(value)[:4]) > years.last - years.shift:
        return NEVER
    return Period(f"{'on' if len(str(value)) > 7 else 'in'} {text}", str(value))


def named_period(text: str, years: Calendar) -> Period:
    """Return the one period that a text names by its day: "as of …", "for the year ended …"; none of two."""
    days = {_whole_month(day) for day in re.findall(f"(?i){_DAY}", text)}
    if len(days) != 1:
        return NEVER
    ended = _ENDED.search(text)
    if ended or _AS_OF.search(text):
        return read_period(ended[0] if ended else min(days), years)
    return NEVER


def split_period(text: str, years: Calendar) -> tuple[Period, str]:
    """Return the period that a heading begins or ends with, and the other words: "2031 Level 1", "Cost 2031"."""
    whole = read_period(text, years)
    if whole != NEVER:
        return whole, ""
    if found := _QUARTER.fullmatch(text):
        year = f"{'fiscal ' if years.fiscal else ''}{found['year']}"
        return Period(f"in the {found['which'].lower()} quarter of {year}", f"{year[-4:]} {found['which']}"), ""
    words = text.split()
    for size in range(min(len(words) - 1, 8), 0, -1):
        for part, rest in ((words[:size], words[size:]), (words[-size:], words[:-size])):
            period = read_period(" ".join(part), years)
            if period == NEVER or (part is not words[:size] and _AGAINST.intersection(rest)):
                continue
            if size > 1 or part is words[:size] or rest[-1] not in ("and", "to", "–"):
                return period, " ".join(rest)
    return NEVER, text


def _whole_month(day: str) -> str:
    """ "Jan 28, 2031" with the month in full, so that one day has one name."""
    found = _ABBREVIATED.match(day)
    full = next((month for month in MONTHS.split() if found and month.startswith(found[1].lower()[:3])), "")
    return f"{full.title()}{day[found.end() :]}" if found and full else day
