"""Triplets of a 10-K outside sentences: from its cover's lines and its auditor's signature.

(Acme Inc., is incorporated in, Delaware), (…, is headquartered in, Lun), (…, is listed on, New York Stock Exchange),
(…, ticker symbol, ACME), (…, is audited by, Smith & Jones LLP), (Smith & Jones LLP, has an office in, Lun). The words
of the page decide. Inline XBRL resolves ambiguous layouts. A triplet's sentence is the verbatim text from the value to
its label.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from kgservice.core.records import Scalar, Term, Triplet
from loaders.sec.cover import COVER, DAY, in_mixed_case
from loaders.shared.fields import folded

REACH = 5  # lines from a value to its label
ADDRESS = 300  # characters of an address
REPORT = 600  # characters of an audit report from its signature
BODY = 5_000  # characters before a signature in which a report mentions its audit
STATES = dict(
    pair.split(":")
    for pair in (
        "AL:Alabama,AK:Alaska,AZ:Arizona,AR:Arkansas,CA:California,CO:Colorado,CT:Connecticut,DE:Delaware,"
        "DC:District of Columbia,FL:Florida,GA:Georgia,HI:Hawaii,ID:Idaho,IL:Illinois,IN:Indiana,IA:Iowa,KS:Kansas,"
        "KY:Kentucky,LA:Louisiana,ME:Maine,MD:Maryland,MA:Massachusetts,MI:Michigan,MN:Minnesota,MS:Mississippi,"
        "MO:Missouri,MT:Montana,NE:Nebraska,NV:Nevada,NH:New Hampshire,NJ:New Jersey,NM:New Mexico,NY:New York,"
        "NC:North Carolina,ND:North Dakota,OH:Ohio,OK:Oklahoma,OR:Oregon,PA:Pennsylvania,PR:Puerto Rico,"
        "RI:Rhode Island,SC:South Carolina,SD:South Dakota,TN:Tennessee,TX:Texas,UT:Utah,VT:Vermont,VA:Virginia,"
        "WA:Washington,WV:West Virginia,WI:Wisconsin,WY:Wyoming"
    ).split(",")
)
EXCHANGES = {  # a market's tiers and short names are the exchange (as in the SEC's ixt-sec:exchnameen)
    "The Nasdaq Stock Market LLC": re.compile(r"(?i)\bnasdaq\b"),
    "NYSE American": re.compile(r"(?i)\bnyse american\b"),
    "NYSE Arca": re.compile(r"(?i)\bnyse arca\b"),
    "NYSE Chicago": re.compile(r"(?i)\bnyse chicago\b|\bchicago stock exchange\b|\bCHX\b"),
    "NYSE Texas": re.compile(r"(?i)\bnyse texas\b"),
    "New York Stock Exchange": re.compile(
        r"(?i)\bnew york stock exchange\b|\bnyse\b(?! (?:american|arca|chicago|texas))"
    ),
}
_CHECKED = re.compile(r"(?i)indicate\s+by\s+check\s*mark")
_INCORPORATED = re.compile(
    r"(?i)\(?\s*state\s+(?:or\s+other\s+jurisdiction|of\s+incorporation)|\bjurisdiction\s+of\s+incorp"
)
_OFFICES = re.compile(r"(?i)\(?\s*address\b.{0,40}\bprincipal\s+executive\s+office")
_LISTED, _LISTED_END = re.compile(r"(?i)section\s+12\s?\(b\)"), re.compile(r"(?i)section\s+12\s?\(g\)")
_TITLED = re.compile(r"(?i)\bname\s+of\s+(?:each|the)?\s*exchange|title\s+of\s+(?:each|the)?\s*class")
_PLACE = re.compile(r"[A-Z][A-Za-z.’'-]+(?: (?:[A-Z][A-Za-z.’'-]+|of|and)){0,3}")
_RULER = re.compile(r"(?i)^(?:the )?(?:state|commonwealth) of ")
_STREET = re.compile(
    r".*(?:\d|\b(?:street|st|avenue|ave|road|rd|drive|dr|way|boulevard|blvd|lane|plaza|center|centre|parkway|pkwy|circle|"
    r"court|square|place|highway|suite|floor|building|box|east|west|north|south)\b\.?)[ ,]*", re.IGNORECASE
)  # fmt: skip
_STATE = re.compile(rf"({'|'.join([*STATES, *STATES.values()])})\.?(?: \d{{5}}(?:-\d{{4}})?)?")
_SIGNED = re.compile(
    r"(?im)(?:^|\f)[^\w\n/]*(?:/s/[^\S\n]*|(?-i:(?=[A-Z])))(?P<name>[^|\n\f/]{3,60}?\b(?:LLP|L\.L\.P\.?|PLLC|P\.?C\.?|LLC))"
    r"[^\w\n\f]*(?:$|(?=\f))"
)
_SINCE = re.compile(r"(?i)\bserved as the company[’']s auditor since\b")
_SAYS = re.compile(
    r"(?i)(?P<audits>\bour\s+audits?\b|\bwe\s+(?:also\s+)?(?:have\s+)?(?:also\s+)?audited\b)|\bconsents?\b"
)
_OFFICE = re.compile(rf"(?P<city>{_PLACE.pattern}),? (?:{_STATE.pattern})(?:,? {DAY})?,?")


class Printed(NamedTuple):
    """A line with words, `text[start:end]`, and its cells: those of a table's row, or parts separated by wide gaps."""

    start: int
    end: int
    text: str
    cells: list[str]


class _Said(NamedTuple):
    """A fact without its subject, the company: relation, object, its class, its sentence."""

    relation: str
    object: str
    type: str
    sentence: str


def cover_triplets(text: str, known: dict[str, Scalar], tags: dict[str, str]) -> tuple[Triplet, ...]:
    """Return the triplets of a filing, () if the company is unknown.

    `known` and `tags` are from loaders.sec.cover.
    """
    name = str(known.get("company", ""))
    if not name:
        return ()
    head = text[:COVER]
    checked = _CHECKED.search(head)
    lines = printed(head[: checked.start()] if checked else head)
    facts = [*_incorporated(head, lines, tags), *_headquartered(head, lines, tags)]
    facts += _listed(head, lines, str(known.get("ticker", "")))
    company = Term(label=name, kind="entity", type="company")
    return (*(_triplet(company, fact) for fact in facts), *_audited(company, text, tags))


def _triplet(subject: Term, said: _Said) -> Triplet:
    end = Term(label=said.object, kind="entity", type=said.type or None)
    return Triplet(subject=subject, relation=said.relation, object=end, sentence=said.sentence)


def printed(text: str) -> list[Printed]:
    """Return the lines of a text without the rules of tables."""
    lines = []
    for match in re.finditer(r"[^\n\f]+", text):
        line = match[0].strip()
        if line and not set(line) <= set("|:- _\t"):
            cells = line.strip("|").split("|") if line.startswith("|") else re.split(r"\s{2,}", line)
            start = match.start() + match[0].index(line)
            lines.append(Printed(start, start + len(line), folded(line), [folded(cell) for cell in cells]))
    return lines


def _labelled(lines: list[Printed], label: re.Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the places of a label: line, cell, and the text before it in the same cell ("New York (State of …")."""
    for at, line in enumerate(lines):
        for column, cell in enumerate(line.cells):
            if match := label.search(cell):
                yield at, column, cell[: match.start()].strip()


def _from(text: str, lines: list[Printed], at: int, value: str) -> str:
    """Return the text from the nearest line above with the value to line `at`, "" if there is none."""
    near = range(at, max(at - REACH, 0) - 1, -1)
    first = next((line for line in near if value in lines[line].text), None)
    return text[lines[first].start : lines[at].end] if first is not None and value else ""


def _incorporated(text: str, lines: list[Printed], tags: dict[str, str]) -> Iterator[_Said]:
    for at, column, before in _labelled(lines, _INCORPORATED):
        above = (line.cells[column] for line in lines[max(at - REACH, 0) : at][::-1] if column < len(line.cells))
        read = before.rpartition(")")[2].strip() or next(filter(None, above), "")
        for value in (tags.get("state", ""), read.rstrip("0123456789- ")):  # a PDF has in one line: "Ohio 12-34"
            sentence = _from(text, lines, at, value)
            place = _RULER.sub("", value.strip(" ,"))
            if sentence and _PLACE.fullmatch(place):
                place = STATES.get(place, place)
                yield _Said("is incorporated in", place, "state" if place in STATES.values() else "", sentence)
                return


def _headquartered(text: str, lines: list[Printed], tags: dict[str, str]) -> Iterator[_Said]:
    for at, _, before in _labelled(lines, _OFFICES):
        above: list[str] = []
        for line in lines[max(at - REACH, 0) : at][::-1]:
            if _INCORPORATED.search(line.text):
                break
            above.insert(0, line.text)
        for value in (tags.get("city", "").strip(" ,"), _city((before or " | ".join(above))[-ADDRESS:])):
            sentence = _from(text, lines, at, value)
            if sentence and _PLACE.fullmatch(value):
                yield _Said("is headquartered in", _told_apart(value), "city", sentence)
                return


def _told_apart(city: str) -> str:
    """Return the city, as "New York, New York" if it shares its name with its state."""
    return f"{city}, {city}" if city in STATES.values() else city


def _city(address: str) -> str:
    """Return the city of a US address: the part before the state, without the street, or ""."""
    parts = [part.strip() for part in re.split(r"[|,]", address) if part.strip()]
    at = max((at for at, part in enumerate(parts) if _STATE.fullmatch(part)), default=0)
    return _STREET.sub("", parts[at - 1]) if at else ""


def _listed(text: str, lines: list[Printed], ticker: str) -> Iterator[_Said]:
    """Yield the exchanges and the ticker symbol registered under section 12(b)."""
    first = next((at for at, line in enumerate(lines) if _LISTED.search(line.text)), len(lines))
    last = next((at for at in range(first + 1, len(lines)) if _LISTED_END.search(lines[at].text)), len(lines))
    titled = next((at for at in range(first + 1, last) if _TITLED.search(lines[at].text)), first)
    seen = set()
    for at in range(first + 1, last):
        bounds = sorted((at, titled))
        sentence = text[lines[bounds[0]].start : lines[bounds[1]].end]
        for exchange, pattern in EXCHANGES.items():
            if exchange not in seen and pattern.search(lines[at].text):
                seen.add(exchange)
                yield _Said("is listed on", exchange, "stock exchange", sentence)
        if ticker and ticker in lines[at].cells and ticker not in seen:
            seen.add(ticker)
            yield _Said("ticker symbol", ticker, "", sentence)


def _audited(company: Term, text: str, tags: dict[str, str]) -> Iterator[Triplet]:
    """Yield the auditor and its office: the signer of a tagged name, or of a report on the statements.

    Present reports tell since when their auditor has served. A firm also signs consents.
    """
    statements = list(_SAYS.finditer(text))
    for signature in _SIGNED.finditer(text):
        report = text[signature.start() : signature.start() + REPORT]
        lines = printed(report)[: REACH + 1]
        since = next((line for line in lines if _SINCE.search(line.text)), None)
        name, tagged = folded(signature["name"]), tags.get("auditor", "")
        last = bisect_left(statements, signature.start(), key=lambda statement: statement.start()) - 1
        reports = last >= 0 and bool(statements[last]["audits"]) and statements[last].start() > signature.start() - BODY
        if since is None and (name.lower() != tagged.lower() if tagged else not reports):
            continue
        name = in_mixed_case(name, text)
        auditor = _triplet(
            company, _Said("is audited by", name, "auditor", report[lines[0].start : (since or lines[0]).end])
        )
        yield auditor
        if office := _office(text, signature.start(), lines):
            yield _triplet(auditor.object, office)
        return


def _office(text: str, start: int, below: list[Printed]) -> _Said | None:
    """Return the city of a report signed at `start`: on its own line below the signature, else right above it."""
    for line in below[1:]:
        if office := _OFFICE.fullmatch(line.text):
            sentence = text[start + below[0].start : start + line.end]
            return _Said("has an office in", _told_apart(office["city"]), "city", sentence)
    head = max(start - ADDRESS, 0)
    for line in printed(text[head:start])[-2:]:
        if office := _OFFICE.fullmatch(line.text):
            sentence = text[head + line.start : start + below[0].end]
            return _Said("has an office in", _told_apart(office["city"]), "city", sentence)
    return None
