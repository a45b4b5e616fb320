"""Sentence boundaries by rules, in linear time for any text."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby, pairwise

_STOP = re.compile(r"(?P<stop>[.!?…。！？]+)[\"'”’»)\]*_]*|\n[^\S\n]*\n\s*|\f|\n")
_GAP = r"(?<=[\w%)”’\"])(?= {2}[\"“‘(]?[A-Z])"  # two spaces in a text that has lost its full stops
_STOP_OR_GAP = re.compile(f"{_STOP.pattern}|{_GAP}")
_BLANK = re.compile(r"\s*")
_JUSTIFIED = re.compile("[a-z]{2} {2,}[a-z]")

FULL, SHOWN = 60, 4  # least width of a page, for blocks of fewer lines than SHOWN
_LINE = re.compile(r"[^\n]*\n")
_CAPITAL = re.compile(r"[\"“‘(\[*_]*([A-ZÀ-Þ\d]\S*)")

_MARK = re.compile(r"[ \t]*(?:[-*•>#]\s|\||\d{1,3}[.)]\s|#{2,6}\s)")
_NEXT = re.compile(r"(?:\s+|\Z)[\"'“‘«(\[*_]*(?P<word>\w{0,20})")
_WORD = re.compile(r"[\w.&]*")
_SHORTENED = re.compile(
    "(?P<never>mrs?|ms|dr|prof|st|gen|sen|rep|gov|lt|col|capt|sgt|rev|hon|messrs|mt|e\\.g|i\\.e|vs|cf|approx)"
    "|(?P<numbered>nos?|figs?|vol|pp?|art|sec|ch|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
    r"|(?P<sometimes>inc|ltd|co|corp|llc|plc|jr|sr|etc|al|bros|dept|est|(?:[^\W\d]{1,2}\.)+\w{0,2})"
)
_COMPANY = re.compile(
    r"(?<!\w)(?:[Ii]nc|[Ll]td|[Cc]o|[Cc]orp|LLC|[Pp]lc|PLC|[JS]r|Bros|etc)\.[\"”’)]*\s+(?=[\"“‘(]?[A-Z])"
)
_OPENER = re.compile(
    "The|An?|Its?|She|They|We|You|Th(?:is|at|ese|ose)|In|On|At|By|For|From|As|After|Before|But|And|When|While|There|If"
    "|Since|However|H[ei]s?|Her|Their|Our|With|To|Also|Both|Each|All|Some|Most"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of the sentences. Together they hold all that is not blank. Takes linear time.

    A sentence ends at . ! ? … before a capital, at a blank line, at line ends of lists, tables and headings, and at
    short lines: those with room for the next line's first word, if that has a capital. It also ends at two spaces
    before a capital, if they replace full stops in this text.
    """
    return list(_sentences(text))


@lru_cache(maxsize=8)  # several stages ask for those of one document
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    spans = []
    ends = _STOP_OR_GAP if _has_gaps(text) else _STOP
    short = short_lines(text)
    start = len(text) - len(text.lstrip())
    for stop in ends.finditer(text, start):
        if stop.end() > start and (stop.start() in short or _ends(text, start, stop)):
            spans.append((start, start + len(text[start : stop.end()].rstrip())))
            start = _BLANK.match(text, stop.end()).end()  # type: ignore[union-attr]
    end = len(text.rstrip())
    return (*spans, (start, end)) if start < end else tuple(spans)


def doubtful(text: str, start: int, end: int) -> list[int]:
    """Return the places in a sentence where another may begin: after "Inc." and the like before a capital."""
    return [match.end() for match in _COMPANY.finditer(text, start, end) if match.start() > start]


def _has_gaps(text: str) -> bool:
    return "  " in text and len(re.findall(_GAP, text)) > 2 * len(_JUSTIFIED.findall(text))


def short_lines(text: str) -> set[int]:
    """Return the ends of lines that end before the width of the page: no sentence and no name goes on behind them."""
    ends: set[int] = set()
    lines = [(match.start(), match.end() - 1) for match in _LINE.finditer(text + "\n")]
    blocks = groupby(lines, key=lambda line: not text[line[0] : line[1]].strip())
    for block in (list(own) for blank, own in blocks if not blank):
        longest = max(end - start for start, end in block)
        width = longest if len(block) >= SHOWN else max(FULL, longest)
        for (start, end), (begin, _) in pairwise(block):
            first = _CAPITAL.match(text, begin)
            if first and end - start + 1 + len(first[1]) <= width and text[end - 1] not in ",;-&/":
                ends.add(end)
    return ends


def _ends(text: str, start: int, found: re.Match[str]) -> bool:
    stop = found["stop"] or "."  # a gap stands for a lost one
    if found[0].isspace():
        single = found[0] == "\n" and text[start] not in "|#"
        return not single or bool(_MARK.match(text, found.end()))
    following = _NEXT.match(text, found.end())
    if not following:
        return stop[-1] in "。！？"
    word = following["word"]
    if stop == ".":
        back = _WORD.match(text[max(start, found.start() - 16) : found.start()][::-1])
        before = back[0][::-1]  # type: ignore[index] # the last word, if it has at most 16 signs
        name = before.lower()
        kind = known.lastgroup if (known := _SHORTENED.fullmatch(name)) else None
        if kind == "never" or (kind == "numbered" and word[:1].isdigit()):
            return False
        if kind == "sometimes" or (len(name) == 1 and before.isupper()):
            return bool(_OPENER.fullmatch(word))
        if name.isdigit() and found.start() - len(name) == start:  # the number of a list's item
            return False
    return "\n" in following[0] or not word[:1].islower()
