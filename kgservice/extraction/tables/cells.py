"""The cells of a pipe table: names without marks, headings with their units and periods, rows under their groups."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from typing import NamedTuple

from kgservice.text.periods import NEVER, Calendar, Period, read_period, split_period
from kgservice.text.values import MONTHS, SCALES, names_scale, read_unit, read_value

EMPTY = re.compile(
    r"(?i)[$€£¥]? ?[-–—.…]* ?%?|n/?a|n\.a\.|n[./]?m\.?|nil|none|not (?:available|applicable|meaningful)|\*+"
    r"|same|ditto|idem|(?:same )?as above"
)
_MARKUP = re.compile(
    r"\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?(?:\]\([^)]*\)|\]\[[^\]]*\])?"  # a picture, perhaps in a link
    r"|\*\*|__|`|<sup>.*?</sup>|\[(?=[^\]]+\]\()|\]\([^)]*\)|(?<!\S)[*_](?=\w)|(?<=\w)_(?!\S)"
)
_LINK = re.compile(r"<((?:https?://|mailto:)?[^<>\s]+(?:://|@|\.)[^<>\s]+)>")  # an address that is a link
_CODES = re.compile(r"(?<=\w)` +`(?=\w)")  # two values of code, side by side
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # any punctuation: "ODB\-2" is "ODB-2"
_REFERENCE = re.compile(r"\[([^\[\]]{3,})\](?:\[[^\[\]]*\])?")
_HTML = re.compile(r"<!--.*?-->|</[a-zA-Z]\w*>|<[a-zA-Z]\w*\s[^<>]*=[^<>]*>|<([a-zA-Z]\w*)>(?=.*</\1>)|<br ?/?>")
_FOOTNOTE = re.compile(
    r"(?:(?<=[\d%)])|(?<=[a-z]{4}))[¹²³⁰⁴-⁹]+$|(?<=[^\W\d])\^\d{1,2}$|[*†‡§]+$|\s*\[\^?\w{1,2}\]$"
    r"|(?<=[^\s$€£¥]) \([a-zA-Z\d]\)(?: ?\([a-zA-Z\d]\))*$|(?<=[^\W\d])(?:\([a-z\d]\))+$"
    r"|(?<=\b(?:19|20)\d\d)(?:\([a-z]\))+$"
)
MARKED = re.compile(r"[<`\[\]*_\\&^†‡§()¹²³⁰⁴-⁹]")  # what each of these patterns needs one of
_BRACKET = re.compile(r"\s+[(\[]([^()\[\]]*)[)\]]$")
_MONEY = re.compile(r"(?:^|(?<=\S)\s+)((?:[A-Z]{0,2}[$€£¥₹₩₽₺₴₦]|[A-Z]{3} ?)\s?['’‘a-zA-Z\d]+)$")  # "2031 £'000"
KNOWN = re.compile(
    r"(?i)\b(?:revenues?|sales|income|profits?|earnings|population|area|employees|assets|liabilities|margin|gdp|growth|"
    r"rate|costs?|expenses?|output|production|debt|capital|price|balance|cash|dividends?|tax|exports|imports)\b"
)
TOTAL = re.compile(r"(?i)(?:grand |overall |group )?totals?|overall|sum")
_VAGUE = re.compile(
    r"(?i)others?(?:, net)?|basic|diluted|current|deferred|non-?current|domestic|foreign|federal|state|products?|"
    r"services?|total|net|gross|beginning.*|ending.*|at end.*|high|low|assets|liabilities|u\.s\.|international"
)
_CHANGES = re.compile(
    r"(?i)(?:net )?changes? in\b.*\b(?:assets|liabilities|capital)\b"
)  # under it no name is a balance
_CASH = re.compile(  # below all the groups
    r"(?i)(?:net )?\(?(?:in|de)crease\b.*\bin cash\b|(?:net )?cash (?:flows? )?\(?(?:provided|used|from|generated)\b"
)
_OPEN = re.compile(r"(?i)\b(?:for|of|by|to|from|in)$")
_DETAIL = re.compile(  # what a balance sheet says beside a name: ", $.001 par value; authorized …", ", net of … of $5"
    r"(?i)(?:[,;:]\s*|\s+[—–(-]\s*)(?:\$[\d.]+ par|(?:no )?par value|authorized\b)"
    r"|(?<=[a-z]) of \$[\d.,]+ and \$[\d.,]+.*"  # "at cost, less accumulated depreciation of $70 and $76"
    r"|(?<=, net) of (?:\w+ )*(?:of )?\$"
)
_YEAR = r"(?:1[89]|20|21)\d\d"
_YEAR_FIRST = re.compile(rf"^({_YEAR}) ((?:{'|'.join(month.title() for month in MONTHS.split())}) \d{{1,2}},)$")
_YEAR_LAST = re.compile(rf"\s*\(({_YEAR})\)$")  # "Population (2023)"
_ASIDE = re.compile(r"\([^()]*\)")  # "(In millions, except per share data)" heads no rows
_SPAN = re.compile(r"(?i)(?:for the )?(?:(?:fiscal )?years?|(?:\w+ )?(?:months|weeks)|quarters?) ended:?")
_DATE_STUB = re.compile(rf"(?i)(?:.*\b)?(?:{'|'.join(MONTHS.split())}) \d{{1,2}},?:?")


class Head(NamedTuple):
    """A row's or column's name; `measure` is it without its unit and period, as a relation."""

    name: str
    measure: str
    unit: str
    period: Period

    @property
    def dated(self) -> bool:
        """Return whether it says when."""
        return self.period != NEVER


class TableRow(NamedTuple):
    """A row as it is written, with its cells; `whole` is False where a chunk's end may have cut it."""

    head: Head
    cells: list[str]
    line: str
    whole: bool
    number: int
    context: str


NONE = Head("", "", "", NEVER)


def split(line: str) -> list[str]:
    """Return the cells of a line, as they are written."""
    cells = re.split(r"(?<!\\)\|", line)
    return cells[line.startswith("|") : len(cells) - (len(cells) > 1 and not cells[-1].strip())]


def clean(cell: str) -> str:
    """Return the words of a cell, without Markdown and footnote marks; a text of above 500 characters is cut."""
    plain = cell.strip().lstrip("'’")[:500]
    if not MARKED.search(plain):
        return " ".join(plain.split())
    plain = _LINK.sub(r"\1", _CODES.sub("`, `", plain))
    plain = _ESCAPED.sub(r"\1", _HTML.sub(" ", _MARKUP.sub("", plain)))
    plain = unescape(plain) if "&" in plain else plain
    if linked := _REFERENCE.fullmatch(plain.strip()):
        plain = linked[1]
    return _FOOTNOTE.sub("", " ".join(plain.split())).strip()


def head(cell: str, years: Calendar) -> Head:
    """Return a heading's name, measure, unit and period."""
    name = clean(cell)
    plain, unit = _cut(name)
    plain = _DETAIL.split(plain, maxsplit=1)[0]
    period = read_period(plain, years)
    return Head(name, measure(plain) if period == NEVER else "", unit, period)


def _cut(name: str) -> tuple[str, str]:
    """Return a heading without the unit that ends it, in brackets or as a currency with its scale, and that unit."""
    if found := _BRACKET.search(name):
        unit = read_unit(found[1])
    elif found := _MONEY.search(name):
        unit = read_unit(found[1])
        unit = unit if unit.partition(" ")[0] in SCALES else ""
    else:
        unit = ""
    return (name[: found.start()].strip(), unit) if found and unit else (name, "")


def unread(name: str) -> bool:
    """Return whether the bracket of a heading names a scale in words that nothing here knows: "Sales (Rs. '000)"."""
    found = _BRACKET.search(name)
    return bool(found and not read_unit(found[1]) and names_scale(found[1]))


def headers(line: str, years: Calendar) -> list[Head]:
    """Return the columns' headings; "December 31," or "Years ended" in the corner or the first completes the others."""
    cells = [clean(cell) for cell in split(line)]
    corner = cells[0] if cells else ""
    stub = _BRACKET.sub("", corner) or corner
    first = re.sub(rf"{_YEAR}$", "", next((cell for cell in cells[1:] if cell), "")).strip()
    before = next((said for said in (stub, first) if _DATE_STUB.fullmatch(said)), "").rstrip(",:")
    dated = _SPAN.fullmatch(stub)
    found = []
    for said in cells[1:]:
        cell = _YEAR_FIRST.sub(r"\2 \1", _YEAR_LAST.sub(r" \1", said))
        named = head(cell, years)
        whole = _cut(cell)[0] if named.unit else cell
        if before and re.fullmatch(_YEAR, whole):
            whole = f"{before}, {whole}"
        period, rest = split_period(f"{stub.rstrip(':')} {whole}" if dated else whole, years)
        found.append(named if period == NEVER else named._replace(period=period, measure=measure(rest)))
    return [head("" if dated or _DATE_STUB.fullmatch(stub) else corner, years), *found]


def continued(lines: list[str]) -> int:
    """Return how many of the first rows go on with the header: years alone, else words without a row name.

    Years stand under "Fiscal" or "December 31,", words under a year or what spans them: "Units sold" and "Sales" under
    "2031"; units stand under anything.
    """
    if _has_years(lines):
        return 1
    names = [clean((split(line) or [""])[0]) for line in lines]
    heads = [clean(cell) for cell in split(lines[0])][1:]
    spans = len(set(heads)) < len(heads) or not all(heads) or any(re.search(_YEAR, head) for head in heads)
    at = 2
    while at < len(lines) and not names[at] and any(names[at + 1 :]) and _names_columns(lines[at], words=spans):
        at += 1
    return at - 2


def _has_years(lines: list[str]) -> bool:
    cells = [cell.strip() for cell in split(lines[2])] if len(lines) > 3 else []
    heads = [cell.strip() for cell in split(lines[0])]
    below = [cell for cell in cells[1:] if cell]
    bare = not any(re.search(_YEAR, head) for head in heads[1:]) and any(heads[1:])
    return bool(below) and bare and all(re.fullmatch(_YEAR, cell) for cell in below)


def _names_columns(line: str, *, words: bool) -> bool:
    """Return whether a row's cells are all units, or, with `words`, whether it has two cells and more that are all
    words."""
    cells = [said for cell in split(line)[1:] if (said := clean(cell))]
    if cells and all(map(read_unit, cells)):
        return True
    named = (any(map(str.isalpha, cell)) and not EMPTY.fullmatch(cell) for cell in cells)
    return words and len(cells) > 1 and all(named) and all(read_value(cell)[0] == "entity" for cell in cells)


def whole_header(lines: list[str]) -> str:
    """Return the header with what its further rows give; a heading spans the empty ones after it."""
    count = continued(lines)
    if not count:
        return lines[0]
    whole = split(lines[0])
    for line in lines[2 : 2 + count]:
        heads, below, found = whole, split(line), list[str]()
        for at, cell in enumerate(heads):
            found.append(cell.strip() or (found[-1] if at > 1 else ""))
        said = [f"({cell})" if read_unit(cell) else cell for cell in map(str.strip, below)] + [""] * len(found)
        whole = [found[0], *(f"{one} {other}".strip() for one, other in zip(found[1:], said[1:], strict=False))]
    return f"| {' | '.join(whole)} |"


def rows(lines: list[str], closed: bool, years: Calendar) -> list[TableRow]:
    """Return the rows. A name that is vague or there twice gets its group's; a heading that is a period dates those
    under it.

    A group is a row of a name alone, with the rows that stand further in, else with those up to the next or to a total.
    """
    found: list[TableRow] = []
    above: list[tuple[int, str]] = []  # headings with how far they stand in
    period = NEVER
    deep = any(line.startswith("|   ") for line in lines)
    for number, line in enumerate(lines, 1):
        first, *cells = split(line) or [""]
        level, name, values = len(first) - len(first.lstrip()), clean(first), [clean(cell) for cell in cells]
        if name and values and not any(values) and not _ASIDE.fullmatch(name):
            above = [] if not deep else [(at, said) for at, said in above if at < level]
            said = read_period(name.rstrip(":"), years)
            period = said if said != NEVER else period
            above += [] if said != NEVER else [(level, name.rstrip(":"))]
        elif name and deep:
            ended = TOTAL.match(name)
            above = [
                (at, said) for at, said in above if at < level or (at == level and not (ended or _CHANGES.match(said)))
            ]
        context = " ".join(said for _, said in above[-1:])
        if TOTAL.match(name) and not TOTAL.fullmatch(name):
            above, context = above if deep else [], ""
        named = head(name, years)
        named = named._replace(period=period if named.period == NEVER else named.period)
        found.append(TableRow(named, values, line, line.endswith("|") or not closed, number, context))
    times = Counter(row.head.name for row in found if any(row.cells))
    return [_under_group(row, times[row.head.name] > 1, deep, years) for row in found]


def _under_group(row: TableRow, repeated: bool, deep: bool, years: Calendar) -> TableRow:
    """Return the row with its group's name before its own, where its own does not tell what it is."""
    name = row.head.name
    if not row.context or row.context == name or not name or _CASH.match(name):
        return row
    ended = _OPEN.search(row.context)  # "Cash paid for", "Interest"
    if deep and not repeated and not ended and not _VAGUE.fullmatch(name) and not _CHANGES.match(row.context):
        return row
    if row.head.dated and not row.head.measure:
        return row._replace(head=row.head._replace(measure=measure(row.context)))
    whole = f"{row.context}{'' if ended else ','} {name}"
    return row._replace(head=head(whole, years)._replace(period=row.head.period))


def measure(name: str) -> str:
    """Return a name as a relation: in lower case, but for acronyms, months and names in a heading in sentence case."""
    words = name.split()
    shouted = name.isupper() and len(words) > 1
    titled = all(word[:1].isupper() or not word.isalpha() for word in words if len(word) > 3)

    def kept(at: int, word: str) -> bool:
        acronym = (len(words) > 1 or len(word) < 6) and any(sign.isupper() or sign.isdigit() for sign in word[1:])
        return (acronym and not shouted) or word.lower() in MONTHS.split() or (at > 0 and not titled)

    return " ".join(word if kept(at, word) else word.lower() for at, word in enumerate(words))
