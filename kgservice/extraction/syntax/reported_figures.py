"""What a company's report says in numbers: a measure, its values and their periods, as its tables state them.

"Net sales were $3.1 billion and $2.9 billion in fiscal 2031 and 2030, respectively" is ("Acme", "net sales", "$3.1
billion") in fiscal 2031 and one more. A sentence is read as a whole: trees break such lists. Whatever stands in it
beside the measure, the values and their periods ("in Europe, …") says that the number is another's, and it is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd
from kgservice.extraction.syntax.rejection import UNSCALED
from kgservice.extraction.tables.cells import measure
from kgservice.text.periods import NEVER, Calendar, bare, read_period
from kgservice.text.values import MONTHS, read_value

MAX_MEASURE = 9  # words
_DOLLARS = r"\$ ?\d(?:[\d,.]*\d)?(?: (?:thousand|million|billion|trillion))?"
_VALUE = rf"(?:{_DOLLARS}|\d[\d,.]*(?: ?%| percent| (?:million|billion) \w+))"
_MONTH = "|".join(month.title() for month in MONTHS.split())
_DAY = rf"(?:{_MONTH}) \d{{1,2}}, (?:19|20)\d\d"
_ONE = rf"(?:(?:the )?(?:fiscal )?years? ended )?{_DAY}|(?:the )?(?:fiscal )?(?:years? )?(?:19|20)\d\d"
_WHEN = (
    rf"(?i:in|during|for|at|as of|of)(?: (?:each|both) of)?(?: the)? (?P<when>(?:{_ONE})(?:(?:,? and |, )(?:{_ONE}))*)"
)
_SOME = r"(?: (?:approximately|about|nearly|roughly|over))?"
_MOVED = r"(?:(?:in|de)creased|grew|declined|rose)"
_VALUES = rf"(?P<values>{_VALUE}(?:(?:,? and |, )(?:{_VALUE}))*)"
_OPENING = rf"(?:{_WHEN.replace('when', 'opening')}, )?"
_SAID = re.compile(
    rf"{_OPENING}(?:(?:[Oo]ur|[Tt]he Company['’]s|[Tt]he) )?(?P<measure>[A-Za-z][^$%;:]*?)"
    rf"(?: {_WHEN.replace('when', 'beside')})? "
    rf"(?P<verb>was|were|totaled|amounted to|{_MOVED}(?: (?:by )?{_VALUE}, or {_VALUE},? to| to| by)?)"
    rf"{_SOME} {_VALUES}(?:, or {_VALUE},?)?(?:,? {_WHEN.replace('when', 'after')})?"
    r"(?=[,;.](?:\s|$)| (?:from|compared|as|and|primarily|due) |$)"
)
_HELD = re.compile(
    rf"{_OPENING}(?:[Ww]e|[Tt]he Company) "
    r"(?:had|recorded|recognized|incurred|reported|generated|paid|declared and paid)"
    rf"(?: an?)? (?P<measure>[a-z][^$%;:,]*?) (?:of|totaling){_SOME} {_VALUES}(?:,? {_WHEN.replace('when', 'after')})?"
    r"(?=[,;.](?:\s|$)|$)(?P<verb>)"
)
_BEFORE = re.compile(rf",? (?:from|and|(?:as )?compared (?:to|with)){_SOME} (?P<value>{_VALUE}) {_WHEN}")
_STRAY = re.compile(
    r"^(?:[Ii]n|[Ff]or|[Aa]t|[Oo]n|[Dd]uring|[Aa]s|[Oo]f|[Ff]rom|[Ee]xcluding|[Ww]ithin|[Uu]nder|[Ww]ith) "
    r"|\b(?:that|which|who|if|when|because|while|this|these|those|such|it|its|their|we|our|us|there|an?|he|she|his|her"
    r"|each|respectively|range[ds]?|other than|is|are|was|were|has|had|will|would|may|could|and we)\b|[()\d\"“”•■]"
)
_RUN_IN = re.compile(  # a heading of cash flows, or what joins a sentence to the one before
    r"^(?:(?:Operating|Investing|Financing) Activities (?=[A-Z])|(?:Additionally|In addition|Furthermore|Also), )"
)
_NAMED = re.compile(r" \([“\"][^()]{1,30}[”\"]\)")  # Return on Invested Capital ("ROIC")
_SPACED = re.compile(r" (?=[,;.](?:\s|$))")  # a PDF writes "2019 , and"
_GROWN = re.compile(rf"({_MOVED})(?: by)?")
_CUT = re.compile(r"(?i)^(?:the )?(?:total |aggregate )?amounts? of |^(?:a total of|total)$")


def figures(text: str, company: str, years: Calendar) -> Iterator[FactCandidate]:
    """Yield what a sentence of a company's report says in numbers."""
    text = _RUN_IN.sub("", _NAMED.sub("", _SPACED.sub("", " ".join(text.lstrip("•■▪- ").split()))))
    found = _SAID.match(text) or _HELD.match(text)
    if found is None:
        return
    own = rf"(?i)^(?:{re.escape(company.split(maxsplit=1)[0].rstrip(','))}['’]s|{re.escape(company)}) "
    said = re.sub(own, "", _CUT.sub("", found["measure"].strip(" ,")))
    grown = _GROWN.fullmatch(found["verb"])
    values = re.findall(_VALUE, found["values"])
    whens = [when for part in ("opening", "beside", "after") if (when := found.groupdict().get(part))]
    if len(whens) != 1 or not said or len(said.split()) > MAX_MEASURE or _STRAY.search(said):
        return
    periods = _periods(whens[0], years)
    if len(periods) != len(values) or (len(values) > 1 and "respectively" not in text):
        return
    relation = f"{measure(said)} {grown[1]} by" if grown else measure(said)
    pairs = list(zip(periods, values, strict=True))
    if not grown and len(values) == 1 and (before := _BEFORE.match(text, found.end())):
        pairs += [(period, before["value"]) for period in _periods(before["when"], years)[:1]]
    for period, value in pairs:
        if period and read_value(value)[0] == "number" and not UNSCALED.fullmatch(value):
            subject, figure = NamedEnd(company, "entity", None, 0, 0), NamedEnd(value, "number", None, 0, 0)
            yield FactCandidate(subject, relation, figure, "figures", period=bare(period))


def period_of(text: str, years: Calendar) -> str:
    """The only period that a sentence names, if it says that something was so then; "" for none and for several."""
    named = {found[0].lower() for found in re.finditer(f"(?i:{_ONE})", text)}
    said = re.search(_WHEN, text)
    return next(iter(_periods(said["when"], years)), "") if said and len(named) == 1 else ""


def _periods(text: str, years: Calendar) -> list[str]:
    """The periods of a list: "2031, 2030 and 2029", "December 31, 2031 and 2030"; "" for one that cannot be told."""
    days = re.findall(_DAY, text)
    parts = days if len(days) > 1 else re.findall(rf"{_DAY}|(?:19|20)\d\d", text)
    ended = re.search(r"(?i)years? ended", text)
    day = days[0][:-4] if len(days) == 1 and len(parts) > 1 else ""
    found = []
    for part in parts:
        whole = f"{day}{part}" if day and part.isdigit() else part
        if ended:
            whole = f"year ended {whole}"
        elif "fiscal" in text and part.isdigit():
            whole = f"fiscal {part}"
        period = read_period(whole, years)
        found.append("" if period == NEVER else period.said)
    return found
