"""Captions of tables: whose numbers they are, what they measure, in which unit and when."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from kgservice.core.records import Document
from kgservice.extraction.tables.cells import clean, measure
from kgservice.extraction.tables.scales import UNKNOWN, Scale, own_scale, table_scale
from kgservice.text.periods import Calendar, calendar, closings, named_period
from kgservice.text.values import MONTHS, SCALES, names_scale, read_unit

SUBJECT_KEYS = ("company", "organisation", "organization", "city", "country", "state", "region")
MAX_CAPTION, MAX_MEASURE, MAX_HEADING = 700, 7, 4  # characters; words
_YEAR = r"(?:1[89]|20|21)\d\d"
_BRACKET = re.compile(r"\s*(?<!/)[(\[]([^()\[\]]*)[)\]]")  # "income/(loss)" has none
_NUMBERED = re.compile(r"(?i)^(?:table|exhibit|chart|figure|box|annex)\s+(?:\d[\w.-]*|[A-Z]\b)[.:–-]?\s*")
_LEAD = re.compile(
    r"(?i)^(?:.*\. )?(?:the )?(?:(?:following|accompanying) )?(?:tables?|information)(?: below| above)?(?: \w+){0,2}? "
    r"(?:shows?|presents?|summarizes?|provides?|details|sets? forth|reflects?|discloses|reconciles|includes|"
    r"represents?|lists|disaggregates|classifies|breaks down|contains)\s+"
    r"(?:the |our |a summary of |(?:details|breakdown|components|amounts?) of |information (?:about|on|regarding) )*"
)
_STATED = re.compile(  # "Inventories at December 31 consisted of the following"
    r"(?i)^(?:.*\. )?(?:(?:as of|at|for|in|during) .{0,60}?\d{4}(?: and \d{4})?,? )?"
    r"(?:the |our |these |an? |company['’]s |changes? (?:in|to) "
    r"|(?:significant )?(?:components|details|amounts?|summary) of )*"
    r"(?P<measure>[^.:;]+?),? (?:was|were|is|are|consists?|consisted|comprised?|included?)(?: of| approximately)*"
    r"(?: (?:(?:calculated|summarized|presented|shown|disclosed|set forth|detailed|reflected|listed) )?"
    r"(?:as follows|the following|(?:in|by) the (?:following )?tables?(?: below)?|below)\b.*| ?:)$"
)
_MONTH = "|".join(month.title() for month in MONTHS.split())
_ASIDE = re.compile(  # what such a sentence adds to its measure
    rf",? (?:at|as of|for|during|in|on|to) (?:the )?(?:end of )?(?:(?:fiscal|years?|ended|months|twelve) )*"
    rf"(?:(?:{_MONTH})\b|{_YEAR}).*$"
    r"|(?<=\s)(?:the company['’]s|our) |, (?:including|which|based|as|recorded|excluding|net of)\b.*$"
    r"| (?:is|are|was|were) .*$| disaggregated(?= by )"
)
_NOUN = re.compile(
    r"(?i)^(?:reportable |operating |geographic |major |significant )+(?=\w)"
    r"|(?:,| of business\b| (?:for|as of|at|and|in|which|based)\b).*$"
)
_WITHIN = re.compile(r"(?i)\b(?:years?|maturit\w+|line items?|function|dates?)\b")  # such rows are no things
_SUMS = re.compile(r"(?i)\b(?:sales|revenues?|expenses?|costs|charges|accrued liabilities)$")
_SEGMENT = re.compile(r"(?i)(?:\S+ ){1,4}segment")
CONTAINER = re.compile(
    r"(?i)\b(?:information|elements|reconciliation|comparison|numerators|results|differences|data|summary|activity|"
    r"statements?|balance sheets?|highlights|metrics|overview|results of operations|financial position)\b"
)
_NOTE = re.compile(r"(?i)^(?:notes? )?\d{1,2}\s?[.:–—-]\s?|^note \d{1,2} ")
_PERCENT = re.compile(r"(?i)\((?:in )?per ?cent(?:age)?s?(?: of [^()]*)?\)")
VINTAGE = re.compile(r"(?i)\b(?:years? of origination|origination years?|vintage)\b")
_SMALL = frozenset("th and for our of net per other total".split())
_TOLD = re.compile(r"(?i)\bitem 8\b.* > ")  # under the notes; a heading of the discussion names no measure
_DATED = re.compile(
    r"(?i)[,;]?\s*(?:for |in |at |to |as of )?(?:the )?(?:(?:fiscal|financial|calendar) )?(?:years? )?"
    rf"(?:ended .{{0,20}})?{_YEAR}(?:\s*(?:,|and|to|–|-|/)\s*(?:and )?\d{{2,4}})*\s*$"
)
_NAMED = re.compile(r" (?:of|in|at|for) ((?:[A-Z][\w'’&-]*)(?: (?:(?:of|de|la|and) )?[A-Z][\w'’&-]*)*)$")
_TITLE = re.compile(
    r"(?i)^(?:the )?(?:\w+ ){0,2}(?:surveys?|reports?|profile|overview|review) (?:of|on) (?:the )?|,? \d{4}\b.*$"
    r"|(?:^| )(?:(?:annual|quarterly|economic) )?(?:reports?|survey|results|profile|plan|10-[KQ]|accounts)\b.*$"
)
_OF_TITLE = re.compile(  # what is left of a title without the name and the year: "annual report and accounts"
    r"(?i)(?:(?:annual|quarterly|half-year(?:ly)?|interim|financial|economic|consolidated|integrated|first|second|"
    r"third|fourth|full|year|quarter|q[1-4]|h[12]|form) ?)*"
    r"(?:(?:reports?|accounts|survey|results|profile|review|10-[KQ])(?: and |$))+"
)
MEASURES = re.compile(r"(?i)measures?|indicators?|items?|metrics?|key figures?|figures?")
SCALED = re.compile(
    r"(?i)(?:\b(?P<dollars>dollars|US ?\$|\$) ?)?\b(?:in )?(?P<scale>thousand|million|billion)s\b"
    r"(?: of (?:U\.?S\.? )?(?P<of>dollars))?"
)


class Caption(NamedTuple):
    """What a caption tells: the scope, the measure, what the rows are ("segment"), the unit and the period.

    `closing` is the last day of the document's own period. `counted` is the unit of shares and other counted things,
    where the caption excepts them from its unit. `stated`: a sentence says that the measure is all of the table's;
    `vintage`: that its columns' years are those in which loans were made. `doubtful`: the scale of its amounts is.
    `money`: the table writes amounts of money. `sign`: "$" in a report whose text writes all its amounts with it.
    `unread`: a bracket names a scale in words that nothing here knows ("Rs. '000").
    """

    scope: str
    measure: str
    noun: str
    unit: str
    counted: str
    period: str
    closing: str
    years: Calendar
    company: bool
    stated: bool = False
    vintage: bool = False
    doubtful: bool = False
    money: bool = True
    sign: str = ""
    unread: bool = False

    def under(self, relation: str) -> str:
        """Return a row's measure under the one that a sentence says of the whole table: "inventories, work in
        progress"."""
        own, whole = _stems(relation), _stems(self.measure)
        if not self.stated or not self.measure or 2 * len(own & whole) > len(whole):
            return relation
        return f"{self.measure}, {relation}"

    def headed(self, section: str, above: str) -> Caption:
        """With a note's heading as the measure of a table that no sentence introduces, or none of another matter.

        `above`: the text before the table.
        """
        heading = _NOTE.sub("", clean(section.rpartition(" > ")[2])).strip()
        other = self.noun or self.measure not in ("", measure(heading))
        if other or not _TOLD.search(section) or len(heading.split()) > MAX_HEADING:
            return self
        lines = [line for line in re.split(r"(?m)^#.*", above)[-1].split("\n") if line.strip()]
        if lines and lines[-1].strip() not in heading and not _stems(heading) & _stems(lines[-1]):
            return self
        return self if CONTAINER.search(heading) else self._replace(measure=measure(heading), stated=True)


def _stems(text: str) -> set[str]:
    return {word.rstrip("s").rstrip("e") for word in re.findall(r"\w{3,}", text.lower())} - _SMALL


def read_caption(text: str, header: str, document: Document, place: int) -> Caption:
    """Read a table's caption, with what its header says of units.

    In a company's report a table without a scale has that of the scope around its `place` (-1: it has no amounts).
    """
    lines = [clean(line.strip().lstrip("#")) for line in text.split("\n") if line.strip()]
    whole = " ".join(lines)[-MAX_CAPTION:]
    declared = f"{text}\n{header}"
    near = _company(document) and place >= 0
    scale = table_scale(document.text, place, declared) if near else own_scale(declared)
    notes = [found[1] for found in _BRACKET.finditer(f"{whole} {header}")]
    notes += [line for line in lines if read_unit(line).partition(" ")[0] in SCALES]  # "Amounts in € millions" alone
    unit = _unit(f"{whole} {header}", notes, scale, document)
    unread = not unit and scale == UNKNOWN and any(names_scale(note) for note in notes)
    said, dating, stated = _said(whole, lines[-1] if lines else "", _company(document))
    found = set(re.findall(rf"\b{_YEAR}\b", dating))
    years = calendar(document.metadata)
    years = years._replace(closings=closings(document.text, years.closing))
    years = years._replace(fiscal=years.fiscal or "fiscal" in whole.lower())
    period = named_period(whole, years).said
    if len(found) == 1 and not period:
        period = f"in {'fiscal ' if years.fiscal else ''}{found.pop()}"
    prefix, colon, rest = _DATED.sub("", said).strip(" .:").partition(": ")
    scope = prefix if colon and prefix[:1].isupper() and len(prefix) <= 60 else ""
    named, _, noun = _split(rest if scope else prefix + colon + rest)
    noun = _NOUN.sub("", noun)
    whole_rows = bool(stated or _WITHIN.search(noun) or _SUMS.search(named))
    noun = "" if _WITHIN.search(noun) else noun
    own = document_scope(document)
    if own and own in named:
        named = re.sub(rf"(?: (?:of|in|at|for) )?{re.escape(own)}(?:['’]s)?", "", named).strip()
        scope = scope or own
    elif _company(document):
        scope = own
    elif at := _NAMED.search(named):
        named, scope = named[: at.start()], scope or at[1]
    contained = CONTAINER.search(named) if stated else CONTAINER.fullmatch(named)
    contained = contained or _OF_TITLE.fullmatch(named)
    vague = MEASURES.search(named) or contained or len(named.split()) > MAX_MEASURE  # "Key figures" measures nothing
    segment = bool(_SEGMENT.fullmatch(named)) and _company(document)
    said = "" if vague or segment or _NOTE.match(named) else measure(named)
    closing = f"on {end}" if (end := _spelled(str(document.metadata.get("period", "")))) else ""
    scope, company = scope or own, _company(document)
    scope = f"{named} of {scope}" if segment else scope
    vintage = bool(VINTAGE.search(f"{whole} {header}"))
    known = (scope, said, noun, unit, scale.counts or "", period, closing, years, company, whole_rows, vintage)
    sign = "$" if _company(document) and "$" in document.text and "USD" not in document.text else ""
    return Caption(*known, doubtful=scale.doubtful, money=place >= 0, sign=sign, unread=unread)


def _said(whole: str, last: str, company: bool) -> tuple[str, str, bool]:
    """Return what a caption says is measured, where it may say of which year, and if a sentence says it of the whole
    table."""
    said = _NUMBERED.sub("", _BRACKET.sub("", whole))
    if stated := _STATED.match(_BRACKET.sub("", last)):
        said = _ASIDE.sub("", stated["measure"]).strip(" .:")
        return said, said, True
    led = _LEAD.sub("", said).strip(" .:")
    told = company and bool(_LEAD.match(said))  # "The following table presents our long-term debt"
    return _ASIDE.sub("", led).strip(" .:") if told else led, led, told


def _split(said: str) -> tuple[str, str, str]:
    """Return "Revenue by segment" cut at its "by"; "cash provided by operations" has no parts."""
    named, by, noun = said.partition(" by ")
    return (
        (said, "", "") if re.search(r"(?i)\b(?:provided|used|held|owned|issued|caused)$", named) else (named, by, noun)
    )


def _spelled(day: str) -> str:
    """Return "September 28, 2031" for 2031-09-28, "" for anything else."""
    with suppress(ValueError):
        when = date.fromisoformat(day)
        return f"{when:%B} {when.day}, {when.year}"
    return ""


def _company(document: Document) -> bool:
    return "company" in document.metadata


def _unit(text: str, notes: list[str], scale: Scale, document: Document) -> str:
    """Return the unit of a table's amounts: what a note names, else the scale, of dollars if the report writes them."""
    named = [unit for note in notes if (unit := read_unit(note))]
    unit = next((unit for unit in named if unit not in SCALES), "")
    if _company(document) and not re.search("[A-Z%]", unit):  # "sources (uses)" names none
        unit = ""
    if _PERCENT.search(text):
        unit = "%"
    found, money = SCALED.search(text), scale.money or ""
    if scale.money is None and scale.counts is None:
        money = next((unit for unit in named if unit in SCALES), "")  # "('000)"
    if unit or not money:
        return unit
    dollars = found and (found["dollars"] or found["of"])
    other = re.search(r"quare f|[€£¥₹]", text)
    own = dollars or (_company(document) and "$" in document.text and not other)
    return f"{money} USD" if own else money


def document_scope(document: Document) -> str:
    """Return the one thing a document is about: by its metadata, else by its title without words such as "annual
    report"."""
    for key in SUBJECT_KEYS:
        if isinstance(value := document.metadata.get(key), str) and value.strip():
            return " ".join(value.split())
    parts = (_TITLE.sub("", part).strip() for part in re.split(r"\s+[–—|-]\s+|:\s+|,\s+", document.title[:300]))
    return next((part for part in parts if part[:1].isupper() and len(part.split()) <= 6), "")
