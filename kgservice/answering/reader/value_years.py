"""The years of a text, and those that one of its values is said of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgservice.text.english import PREPOSITIONS
from kgservice.text.matching import written_values

_YEAR = re.compile(r"(?<![\d.,$€£])(?:1\d|20)\d\d(?![\d%]|[.,]\d)")
_TO = r" ?(?:[-–—/]|to|until|through) ?"
_SPAN = re.compile(  # "from 2029 to 2031", "between 2029 and 2031", "1998–99" (no day: "2011-12-30"), "2029"
    rf"(?:\bfrom )?(?P<first>{_YEAR.pattern}){_TO}(?P<last>{_YEAR.pattern})"
    rf"|\bbetween (?P<since>{_YEAR.pattern}) and (?P<upto>{_YEAR.pattern})"
    rf"|(?P<year>{_YEAR.pattern})(?:[-–—/](?P<short>\d\d)(?![\w/–—-]))?",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:,| and|, and| or|, or|,? as well as|,? &) ")
_BETWEEN = re.compile(r"\W*(?:(?:and|to|or|from|of)\W+)*")  # what parts values in a row
_BEFORE = re.compile(r" ?[:=(–-]? ?")  # between a year and its value: "2031: $5 million"
_BEHIND = re.compile(  # between a value and its year: "in", "for the year to June", "for the year ended 31 December"
    r" ?\(?(?:(?:in|during|for|of|on|by|at|as of|as at)(?: (?!(?:and|or|but|than|which|that|who)\b)[\w’']+){0,6}"
    r"(?:(?<=\d),)? )?"
)
_AND = frozenset(("and", "but", "or"))
_BEGUN = re.compile(r"(?i)\b(?:founded|born|established|since)(?: (?!(?:and|but)\b|\d{4})[\w’']+){0,4} $")
_ASIDE = re.compile(r"(?:, ?|\()(?P<word>[a-z][\w’']*)[^,()]*(?:,|\))")


class YearSpan(NamedTuple):
    """Years that stand as one in a text, "2029", "2029–31" or "2029, 2030 and 2031", in order, and their place."""

    start: int
    end: int
    years: frozenset[str]
    written: tuple[str, ...]


class _Value(NamedTuple):
    start: int
    end: int
    unit: str | None


def year_spans(text: str) -> list[YearSpan]:
    """Return the years of a text, ranges and lists as one.

    >>> [sorted(span.years) for span in year_spans("In 2029 and 2030 more than from 1998 to 2000, or 2001/02")]
    [['2029', '2030'], ['1998', '1999', '2000'], ['2001', '2002']]
    >>> [sorted(span.years) for span in year_spans("1998–99, $2,030, 2011-12-30, 2011-05")]
    [['1998', '1999'], ['2011'], ['2011']]
    """
    found = list[YearSpan]()
    for match in _SPAN.finditer(text):
        span = _span(match)
        last = found[-1] if found else span
        single = len(span.years) == 1 and len(last.years) == len(last.written)
        if single and _LISTED.fullmatch(text[last.end : span.start]):
            span = YearSpan(last.start, span.end, last.years | span.years, last.written + span.written)
            found.pop()
        found.append(span)
    return found


def _span(match: re.Match[str]) -> YearSpan:
    first, short = match["first"] or match["since"] or match["year"], match["short"]
    last = match["last"] or match["upto"] or first
    if short and (short > first[2:] or first.endswith("99")):  # not "2011-05"
        last = str(int(first) + (int(short) - int(first[2:])) % 100)
    between = map(str, range(int(first), int(last)))
    return YearSpan(match.start(), match.end(), frozenset((first, last, *between)), tuple(dict.fromkeys((first, last))))


def share_years(one: Sequence[YearSpan], other: Sequence[YearSpan]) -> bool:
    """Return whether two texts have a year in common; two ranges need two: "1998–99" is not "1999–2000"."""
    return any(
        len(span.years & told.years) >= min(2, len(span.years), len(told.years)) for span in one for told in other
    )


def years_of_value(value: str, text: str) -> list[YearSpan]:
    """Return the years that a value of a text may be said of: beside it, else beside no other value, else the next.

    Years of an aside or of when a thing began, "Acme, founded in 1999," do not count where there are others.

    >>> [span.years for span in years_of_value("$5 million", "In 2031 Acme, founded in 1999, earned $5 million.")]
    [frozenset({'2031'})]
    >>> [span.years for span in years_of_value("$5 million", "$5 million and $4 million in 2031 and 2029")]
    [frozenset({'2031'})]
    """
    values, spans = list(_values(text)), year_spans(text)
    spans = [span for span in spans if not _is_aside(span, text, values)] or spans
    whole = re.compile(rf"(?<![\w.,]){re.escape(value)}(?!\w)")
    own = [one for one in values if whole.search(text[one.start : one.end])]
    said = _one_each(values, spans, text) or _beside(values, spans, text)
    if not any(one in said for one in own):
        free = [span for span in spans if span not in said.values()]
        loose = [one for one in values if one not in said]
        said = _in_clauses(loose, free) if free else _next(loose, spans)
        spans = free or spans
    return [said[one] for one in own if one in said] or spans


def _values(text: str) -> Iterator[_Value]:
    """Yield the numbers of a text that are no years."""
    upto = 0
    for label, (kind, _, unit) in written_values(text):
        start = text.find(label, upto)
        if start >= 0:
            upto = start + len(label)
            if kind == "number" and not _YEAR.match(label):
                yield _Value(start, upto, unit)


def _is_aside(span: YearSpan, text: str, values: Sequence[_Value]) -> bool:
    """Return whether years tell when a thing began, or stand between commas or in brackets without a value."""
    if _BEGUN.search(text[: span.start]):
        return True
    around = next((one for one in _ASIDE.finditer(text) if one.start() < span.start < one.end()), None)
    if around is None or around["word"] in PREPOSITIONS | _AND:
        return False
    return not any(around.start() < one.start < around.end() for one in values)


def _one_each(values: Sequence[_Value], spans: Sequence[YearSpan], text: str) -> dict[_Value, YearSpan]:
    """Return the year of each of as many values in a row, of one unit, as there are years in a row."""
    runs = list[list[_Value]]()
    for one in values:
        if runs and _BETWEEN.fullmatch(text[runs[-1][-1].end : one.start]):
            runs[-1].append(one)
        else:
            runs.append([one])
    return {
        one: span._replace(years=frozenset((year,)), written=(year,))
        for span in spans
        for run in runs
        if len(run) == len(span.written) > 1 and len({one.unit for one in run} - {None}) < 2
        for one, year in zip(run, span.written, strict=True)
    }


def _beside(values: Sequence[_Value], spans: Sequence[YearSpan], text: str) -> dict[_Value, YearSpan]:
    """Return the years right behind a value, "$5 million in 2031", else those right before it, "2031: $5 million"."""
    starts = [one.start for one in values]

    def joined(by: re.Pattern[str], end: int, start: int) -> bool:
        return (
            end <= start and by.fullmatch(text[end:start]) is not None and not any(end <= at < start for at in starts)
        )

    said = {one: span for one in values for span in spans if joined(_BEHIND, one.end, span.start)}
    before = [span for span in spans if span not in said.values()]
    return {one: span for one in values for span in before if joined(_BEFORE, span.end, one.start)} | said


def _next(values: Sequence[_Value], spans: Sequence[YearSpan]) -> dict[_Value, YearSpan]:
    """Return the first years behind each value that has some: those of 500 in "500 people and $5 million in 2031"."""
    return {one: span for one in values for span in reversed(spans) if one.end <= span.start}


def _in_clauses(values: Sequence[_Value], spans: Sequence[YearSpan]) -> dict[_Value, YearSpan]:
    """Return the years before each value where each clause begins with its years, those behind where it ends so."""
    parts: list[_Value | YearSpan] = sorted([*values, *spans], key=lambda part: part.start)
    order = "".join("Y" if isinstance(part, YearSpan) else "v" for part in parts)
    if re.fullmatch("(?:v+Y)+", order):
        parts.reverse()
    elif not re.fullmatch("(?:Yv+)+", order):
        return {}
    said = dict[_Value, YearSpan]()
    for part in parts:
        if isinstance(part, YearSpan):
            span = part
        else:
            said[part] = span
    return said
