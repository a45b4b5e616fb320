"""Periods in headings: "2031", "Q1 2031", "Years ended 30 September 2031", "As of December 31, 2031"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Scalar
from kgservice.text.values import MONTH, MONTHS, read_value

_YEARS = re.compile(
    r"(?i)(?P<fiscal>FY ?|(?:fiscal|financial) (?:years? )?)?(?:years? )?"
    r"(?P<said>(?:(?:[QH][1-4]|9M) )?(?P<year>(?:1[89]|20|21)[0-9]{2})(?:[/–-][0-9]{2}(?:[0-9]{2})?)?"
    r"(?: ?[EFp]| \((?:forecast|estimated?|plan|projected|target|budget)\))?)"
)
_AGAINST = frozenset(("vs.", "vs", "versus"))  # "Variance vs. March 31, 2030" is of another period
_DAY = rf"(?:{MONTH} \d{{1,2}},? |\d{{1,2}} {MONTH} )(?:1[89]|20|21)\d\d"
_ENDED = re.compile(
    r"(?i)(?:(?:(?:as of|at) and )?for (?:the )?|the )?"
    r"(?:(?P<year>(?:(?:fiscal|financial|calendar) )?years?|twelve months|12 months|5[23] weeks)"
    rf"|(?P<span>(?:\w+ )?(?:months?|weeks?|quarters?)))(?: then)? ended:? (?:on )?(?P<day>{_DAY})"
)
_AT = re.compile(rf"(?i)(?:balances?,? )?(?:(?:as )?(?:of|at) )?(?P<day>{_DAY})")
_QUARTERS = ("first", "second", "third", "fourth")
_QUARTER = re.compile(
    rf"(?i)(?:(?:fiscal )?(?P<year>(?:19|20|21)\d\d),? (?P<which>{'|'.join(_QUARTERS)}) quarter"
    rf"|(?P<before>{'|'.join(_QUARTERS)}) quarter,?(?: of)? (?:fiscal )?(?P<after>(?:19|20|21)\d\d))"
)
_AS_OF = re.compile(rf"(?i)\b(?:as of|at|on|outstanding at) (?P<day>{_DAY})")
_ABBREVIATED = re.compile(rf"(?i)^({MONTH})(?= \d)")

_OWN_DAY = re.compile(  # not "due March 1, 2030", "from January 1, 2031", "years ended December 31, 2031"
    rf"(?i)(?:,? ?\b(?:as of|at|on|through)|,|(?<!\bdue)(?<!\bto)(?<!\bfrom)(?<!\buntil)(?<!\bafter)(?<!\bbefore)"
    rf"(?<!\bsince)(?<!\bby)(?<!\band)(?<!\bor)(?<!ed)(?<!ing)) (?P<day>{_DAY})$"
)
_DAY_ALONE = re.compile(
    rf"(?:^|,|[–—-]|\b(?:at|on|as of|[Bb]alances?)) ?(?P<month>{'|'.join(MONTHS.title().split())}) "
    r"(?P<at>\d{1,2}),?$"
)
_BEGINNING = re.compile(
    r"(?i)\b(?:at|,|[–—-]) ?(?:the )?(?:start|beginning)\b|^beginning\b|\bbeginning (?:of|balance)\b|^opening balance"
)


class Calendar(NamedTuple):
    """Whether years are fiscal, the shift from the year of the last day to the fiscal year's number, and the last year.

    A later year cannot be reported: "2033" beside amounts due then is a name. `closing`: the last day. `closings`: the
    last days of earlier years.
    """

    fiscal: bool = False
    shift: int = 0
    last: int = 9999
    closing: str = ""
    closings: tuple[date, ...] = ()


class Period(NamedTuple):
    """A period in words, "in fiscal 2031" or "on March 31, 2031", and its sort key. Both are "" for none."""

    said: str
    order: str


NEVER, NO_CALENDAR = Period("", ""), Calendar()


def bare(said: str) -> str:
    """Return a period's words without the preposition, as in a fact."""
    return said.partition(" ")[2]


def when(period: str) -> str:
    """Return a fact's period with its preposition.



    >>> when("fiscal 2031"), when("March 31, 2031"), when("")
    ('in fiscal 2031', 'on March 31, 2031', '')
    """
    kind, value, _ = read_value(period)
    return f"{'on' if kind == 'date' and len(str(value)) > 7 else 'in'} {period}" if period else ""


def calendar(metadata: Mapping[str, Scalar]) -> Calendar:
    """Return a document's calendar: fiscal if it gives its fiscal year (GameStop's 2023 ends in February 2024: -1)."""
    year, end = metadata.get("fiscal_year"), str(metadata.get("period", ""))[:4]
    fiscal_year = year if isinstance(year, int) and end.isdigit() else None
    return (
        Calendar(year is not None)
        if fiscal_year is None
        else Calendar(True, fiscal_year - int(end), fiscal_year, str(metadata["period"]))
    )


def read_period(text: str, years: Calendar) -> Period:
    """Return the period of a heading that is a period as a whole, else NEVER."""
    if match := _YEARS.fullmatch(text):
        if int(match["year"]) > years.last:
            return NEVER
        whole = match["said"] == match["year"] and (years.fiscal or match["fiscal"])
        return Period(f"in {'fiscal ' if whole else ''}{match['said']}", match["year"])
    if match := _ENDED.fullmatch(text):
        day = _whole_month(match["day"])
        _, value, _ = read_value(day)
        year = (int(str(value)[:4]) if value else 0) + years.shift
        span = "year" if match["year"] else match["span"].lower()
        words = f"in fiscal {year}" if match["year"] and years.fiscal else f"in the {span} ended {day}"
        return Period(words, str(value)) if year <= years.last else NEVER
    if match := _AT.fullmatch(text):
        text = match["day"]
    text = _whole_month(text)
    kind, value, _ = read_value(text)
    if kind != "date" or int(str(value)[:4]) > years.last - years.shift:
        return NEVER
    return Period(f"{'on' if len(str(value)) > 7 else 'in'} {text}", str(value))


def named_period(text: str, years: Calendar) -> Period:
    """Return the only period that a text gives by its day: "as of …", "for the year ended …".

    NEVER if there are two.
    """
    days = {_whole_month(day) for day in re.findall(f"(?i){_DAY}", text)}
    if len(days) != 1:
        return NEVER
    ended = _ENDED.search(text)
    if ended or _AS_OF.search(text):
        return read_period(ended[0] if ended else min(days), years)
    return NEVER


def split_period(text: str, years: Calendar) -> tuple[Period, str]:
    """Return the period at the beginning or end of a heading, and its other words: "2031 Level 1", "Cost 2031"."""
    whole = read_period(text, years)
    if whole != NEVER:
        return whole, ""
    if quarter := _QUARTER.fullmatch(text):
        year, which = quarter["year"] or quarter["after"], (quarter["which"] or quarter["before"]).lower()
        phrase = f"in the {which} quarter of {'fiscal ' if years.fiscal else ''}{year}"
        return Period(phrase, f"{year} {_QUARTERS.index(which) + 1}"), ""
    words = text.split()
    for size in range(min(len(words) - 1, 8), 0, -1):
        for part, rest in ((words[:size], words[size:]), (words[-size:], words[:-size])):
            period = read_period(" ".join(part), years)
            if period == NEVER or (part is not words[:size] and _AGAINST.intersection(rest)):
                continue
            if size > 1 or part is words[:size] or rest[-1] not in ("and", "to", "–"):
                return period, " ".join(rest)
    return NEVER, text


def own_day(name: str, column: Period, years: Calendar) -> Period:
    """Return the day of a balance at the end of a row's name: "Outstanding at December 31, 2030", "January 1".

    A day without a year is in the column's fiscal year, and so is "beginning of the year" or period.
    """
    if (match := _OWN_DAY.search(name)) and (period := read_period(match["day"].strip(), years)) != NEVER:
        return period
    closing = _closing(column, years)
    if closing is None:
        return NEVER
    opening = _opening(closing, years)
    if _BEGINNING.search(name):
        return Period(f"on {opening:%B} {opening.day}, {opening.year}", opening.isoformat())
    if not (alone := _DAY_ALONE.search(name)):
        return NEVER
    for year in (opening.year, closing.year):
        _, value, _ = read_value(f"{alone['month']} {alone['at']}, {year}")
        if isinstance(value, str) and opening.isoformat() <= value <= closing.isoformat():
            return Period(f"on {alone['month']} {alone['at']}, {year}", value)
    return NEVER


@lru_cache(maxsize=8)
def closings(text: str, closing: str) -> tuple[date, ...]:
    """Return the last days of the fiscal years up to `closing` in a text, the newest first.

    Years of 52 and 53 weeks end on varying days, so the most frequent day within a week of the anniversary is used.
    """
    if not (last := _as_date(closing)):
        return ()
    times = Counter(_as_date(str(read_value(_whole_month(day))[1])) for day in re.findall(f"(?i){_DAY}", text))
    days = [last]
    for back in range(1, 6):
        near = {day: n for day, n in times.items() if day and abs((day - _anniversary(last, -back)).days) <= 7}
        if not near:
            break
        same = _anniversary(last, -back)
        month = (last + timedelta(days=1)).day == 1 and {same, same + timedelta(days=1)} & near.keys()
        days.append(same if month else max(near, key=lambda day: (near[day], day)))
    return tuple(days)


def _closing(column: Period, years: Calendar) -> date | None:
    """Return the last day of a column's fiscal year, given by its number or by that day, or None."""
    if match := re.fullmatch(r"in fiscal (\d{4})", column.said):
        back = years.last - int(match[1])
        return years.closings[back] if 0 <= back < len(years.closings) else None
    day = _as_date(column.order)
    return day if day in years.closings else None


def _as_date(text: str) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(text)
    return None


def _anniversary(day: date, years: int) -> date:
    return date(day.year + years, day.month, 28 if (day.month, day.day) == (2, 29) else day.day)


def _opening(closing: date, years: Calendar) -> date:
    """Return the first day of the year that ends on a day."""
    at = years.closings.index(closing) + 1
    before = years.closings[at] if at < len(years.closings) else _anniversary(closing, -1)
    return before + timedelta(days=1)


def year_between(opening: Period, closing: Period, years: Calendar) -> Period:
    """Return the fiscal year between two balances of a statement, a day and the day a year later, else NEVER."""
    first, last = _as_date(opening.order), _as_date(closing.order)
    if first is None or last is None or last not in years.closings or not 350 < (last - first).days < 380:
        return NEVER
    return Period(f"in fiscal {years.last - years.closings.index(last)}", closing.order)


def without_day(name: str) -> str:
    """Return a balance's name without its day."""
    return _OWN_DAY.sub("", name).rstrip(" ,") or name


def _whole_month(day: str) -> str:
    """Return a day with the month in full and a comma, so that a day has one name: "January 28, 2031"."""
    match = _ABBREVIATED.match(day)
    full = next((month for month in MONTHS.split() if match and month.startswith(match[1].lower()[:3])), "")
    whole = f"{full.title()}{day[match.end() :]}" if match and full else day
    return re.sub(r"^([A-Z]\w+ \d{1,2}),? (\d{4})$", r"\1, \2", whole)
