"""Scopes of scales: which "(in millions)" holds for a table's amounts, and which for what the table counts.

A scale is declared somewhere and holds until its scope ends: a table's own for the table, what stands under a heading
for its section, what holds "unless otherwise noted" or heads the notes for the rest of its Item, and before the first
Item for the document. The innermost scope that says anything of a kind of quantity decides; money and counted things
(shares, units) are apart. A table that stands in no scope takes the scale of the tables beside it. The majority of the
declared scales only checks that: where they disagree the scale is in doubt.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

_CODES = "USD|EUR|GBP|JPY|CHF|CNY|INR"
_BARE = re.compile(  # a bracket of a scale alone: "(Millions", "(US$ '000", "($M"
    rf"(?P<open>[(\[]) ?(?:(?i:in) )?(?P<sign>(?:US ?|[A-Z]{{1,2}})?[$€£¥₹]|{_CODES})? ?(?:(?i:in) )?"
    r"(?:(?P<word>(?i:thousand|million|billion))s?|(?P<zeros>['’]?000(?:['’]?s)?)|(?<=[$€£¥₹])(?P<letter>[kKmM]|[mMbB]n)|"
    r"(?<=[$€£¥₹] )(?P<apart>[mMbB]n))(?P<of>(?i: of (?:US )?dollars))?(?= ?[,;)\]])"
)
_LETTERS = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion"}
_WORD = re.compile(
    r"(?i)\b(?:in|of) (?:US )?(?:dollars |\$ ?|USD )?(?:of )?(?P<scale>thousand|million|billion)s"
    r"(?: of (?:US )?(?:dollars|shares|units))?\b"
)
_EXCEPT = re.compile(r"(?i)\b(?:except|other than|excluding)\b")
_PER = re.compile(r"(?i)\bper[- ](?:[\w-]+ ){0,2}?(?:shares?|units?|ADS)\b(?:[- ](?:data|amounts?|information))?")
_COUNTS = re.compile(r"(?i)\b(?:shares?|numbers?|units|counts?|quantit\w+|headcount|employees|options|awards|stock)\b")
_MONEY = re.compile(
    rf"(?i)\b(?:dollars?|euros?|yen|{_CODES})\b|[$€£¥₹]|\b(?:income|sales|revenues?|values?|earnings)\b"
)
_BROAD = re.compile(r"(?i)\b(?:unless|as|or) otherwise\b|\b(?:tabular|all) (?:dollar )?amounts\b|\bamounts\b.*\bare\b")
# the noun of "vehicles in thousands"
_OTHER = re.compile(r"(?i)\b(?!in\b|and\b|are\b|of\b|the\b|amounts?\b|us\b)[a-z]{3,} (?:are )?$")
_DECLARED = re.compile(
    r"\([^()\n]{0,120}?\b(?i:in|of) (?:US )?(?:\$|dollars )?(?i:thousands|millions|billions)\b[^()\n]{0,240}\)"
    r"|^(?!\|)[^()\n|]{0,60}\b(?i:in) (?i:thousands|millions|billions)\b[^()\n|]{0,140}$"
    r"|^\|[^|\n]{0,80}\b(?i:in) (?i:thousands|millions|billions)\b[^|\n]{0,80}\|"
    r"|(?<![^\n. ])[^.\n|]{0,160}\b(?i:in) (?:\w+ of )?(?i:thousands|millions|billions)\b[^.\n|]{0,60}"
    r"(?i:otherwise)[^.\n|]{0,80}"
    r"|(?<![^\n. ])[^.\n|]{0,120}\b(?i:amounts)\b[^.\n|]{0,80}\b(?:are|is)\b[^.\n|]{0,40}"
    r"\b(?i:in) (?:\w+ of )?(?i:thousands|millions|billions)\b[^.\n|]{0,80}"
    rf"|{_BARE.pattern}[^()\n]{{0,240}}[)\]](?=:?\s*(?:$|\|))",
    re.MULTILINE,
)
_NOTE = re.compile(r"(?i)\([^()]*\b(?:in|of) (?:US )?(?:\$|dollars )?(?:thousands|millions|billions)\b[^()]*\)")
_HEADING = re.compile(r"(?m)^(#{1,6}) (.*)$")
_NOTES = re.compile(r"(?i)^(?:\W*(?:notes|footnotes)\b.{0,20}\bto\b.{0,60}\bstatements\b)")
_MARKED = re.compile(r"(?m)^\(([a-z\d])\)\s*(.{1,160})$")
_ROWS = re.compile(r"\s*(?:\n[^|\n]{0,300})?\s*((?:^\|.*\n?)+)", re.MULTILINE)
_CAPTION = 300  # characters
MOST = 0.8  # of the declared scales, that an inherited one must be


class Scale(NamedTuple):
    """The scale of amounts and of counted things: "million", "" for as written, None where nothing is said."""

    money: str | None = None
    counts: str | None = None
    doubtful: bool = False

    def within(self, outer: Scale) -> Scale:
        """Return what this scope says, completed by what the scope around it says."""
        doubtful = outer.doubtful if self.money is None else self.doubtful
        counts = outer.counts if self.counts is None and self.money is None else self.counts
        return Scale(outer.money if self.money is None else self.money, counts, doubtful)


class _Scope(NamedTuple):
    """A declared scale with the text that it holds for; `rank`: 0 under a heading, 1 at large, 2 of one table."""

    start: int
    end: int
    rank: int
    scale: Scale


UNKNOWN = Scale()


def read_scale(text: str) -> Scale:
    """Return what a note of units says: "(In millions, except number of shares, which are reflected in thousands)"."""
    plain = _PER.sub("", _in_words(text))
    tail = _EXCEPT.search(plain)
    whole, excepted = (plain[: tail.start()], plain[tail.end() :]) if tail else (plain, "")
    if tail and not _WORD.search(whole) and _WORD.search(excepted):  # "Except for per share amounts, amounts are in …"
        whole, excepted = excepted, excepted.partition(",")[0]
    found, at = UNKNOWN, 0
    for one in _WORD.finditer(whole):
        said, scale = whole[at : one.end()], one["scale"].lower()
        money = bool(_MONEY.search(said))
        bare = whole[at : one.start()].lstrip("( ")
        counts = bool(_COUNTS.search(said)) or (not money and len(bare) <= 30 and bool(_OTHER.search(bare)))
        either = counts or money
        found = Scale(
            scale if found.money is None and (money or not either) else found.money,
            scale if found.counts is None and (counts or not either) else found.counts,
        )
        at = one.end()
    if _COUNTS.search(excepted):
        own = _WORD.search(excepted)
        found = found._replace(counts=own["scale"].lower() if own else "")
    return found


def _in_words(text: str) -> str:
    """Return a text with its brackets of a scale alone in the words of the others.

    >>> _in_words("Revenue (000s)"), _in_words("Revenue (€M, unaudited)")
    ('Revenue (in thousands)', 'Revenue (€ in millions, unaudited)')
    """
    return _BARE.sub(_worded, text)


def _worded(found: re.Match[str]) -> str:
    letter = (found["letter"] or found["apart"] or "").lower()
    scale = (found["word"] or "").lower() or _LETTERS.get(letter, "thousand")
    return f"{found['open']}{found['sign'] or ''}{' ' * bool(found['sign'])}in {scale}s{found['of'] or ''}"


def own_scale(said: str) -> Scale:
    """Return the scale that the caption and header of a table declare for it: in brackets or in a line."""
    said, found = _in_words(said), UNKNOWN
    for one in _DECLARED.finditer(said):
        found = read_scale(one[0][one[0].find("(") + 1 :] if one[0].endswith(")") else one[0]).within(found)
    return read_scale(said[-_CAPTION:]) if found == UNKNOWN else found


def header_notes(line: str) -> tuple[str, str]:
    """Return a table's header without the notes of units that are the whole table's, and these notes.

    They stand in the corner, in all columns, or speak of dollars; "Shares (in millions)" is that column's own.
    """
    corner, *heads = re.split(r"(?<!\\)\|", line.strip().removeprefix("|"))
    named = [head for head in heads if head.strip()]
    notes = {note[0] for head in heads for note in _NOTE.finditer(head)}
    whole = [
        note for note in notes if _MONEY.search(note) or _EXCEPT.search(note) or all(note in head for head in named)
    ]
    for note in whole:
        heads = [head.replace(note, "") for head in heads]
    return f"|{'|'.join([corner, *heads])}", "\n".join([corner.strip(), *sorted(whole)])


def note_scales(below: str) -> dict[str, str]:
    """Return the scales that notes under a table declare for what has their mark: of "(a) In thousands" "thousand"."""
    found = {}
    for mark, said in _MARKED.findall(below.partition("\n|")[0]):
        scale = read_scale(said)
        if _WORD.search(said) and (one := scale.counts or scale.money):
            found[mark] = one
    return found


def table_scale(text: str, at: int, said: str) -> Scale:
    """Return the scale of the table at a place of a document; `said` is what its caption and header say themselves."""
    own = own_scale(said)
    return own if own.money is not None else own.within(_inherited(text, at))


def _inherited(text: str, at: int) -> Scale:
    """Return the scale of money of the innermost scope around a place, else that of the tables before it."""
    scopes, headings = _scopes(text), _headings(text)
    around = [scope for scope in scopes if scope.start <= at < scope.end and scope.scale.money is not None]
    for rank in (0, 1):
        if inner := [scope for scope in around if scope.rank == rank]:
            return max(inner, key=lambda scope: scope.start).scale
    beside = [scope for scope in around if scope.rank == 2]
    item = max((start for start, level, _ in headings if level <= 2 and start <= at), default=0)
    before = beside or [scope for scope in scopes if item <= scope.start < at and scope.scale.money is not None]
    if not before:
        return UNKNOWN._replace(doubtful=bool(scopes))
    scale = max(before, key=lambda scope: scope.start).scale
    common, share = _majority(text)
    return scale._replace(doubtful=scale.money != common or share < MOST)


@lru_cache(maxsize=8)
def _headings(text: str) -> list[tuple[int, int, str]]:
    return [(found.start(), len(found[1]), found[2]) for found in _HEADING.finditer(text)]


@lru_cache(maxsize=8)
def _scopes(text: str) -> list[_Scope]:
    """Return the scales that a document declares, in order, with their scopes."""
    headings = _headings(text)
    starts = [start for start, _, _ in headings]
    found = []
    for one in _DECLARED.finditer(text):
        scale = read_scale(one[0])
        if scale == UNKNOWN:
            continue
        at = bisect_right(starts, one.start())
        section = starts[at] if at < len(starts) else len(text)
        item = next((start for start, level, _ in headings[at:] if level <= 2), len(text))
        start, level, title = headings[at - 1] if at else (0, 0, "")
        under = not _between(text, text.find("\n", start), one.start())
        if _BROAD.search(one[0]) or (under and (level <= 2 or _NOTES.search(title))):
            held = any(level <= 2 for _, level, _ in headings[:at])
            found.append(_Scope(one.start(), item if held else len(text), 1, scale))
        elif under and not text[text.rfind("\n", 0, one.start()) + 1 : one.start()].strip():
            found.append(_Scope(one.start(), section, 0, scale))
        else:
            found.append(_Scope(one.start(), section, 2, _of_table(text, one, scale)))
    return found


def _between(text: str, start: int, end: int) -> bool:
    """Return whether text or a table stands between a heading and a note, not only short lines such as the company's
    name."""
    lines = [line for line in text[max(start, 0) : end].split("\n") if line.strip()]
    return any(len(line) > 120 or line.startswith("|") for line in lines)


def _of_table(text: str, note: re.Match[str], scale: Scale) -> Scale:
    """Return a table's scale as others may take it: of money only where the table has amounts of money."""
    line = text[text.rfind("\n", 0, note.start()) + 1 : note.end()]
    rows = _ROWS.match(text, note.end())
    counted = _COUNTS.search(_PER.sub("", line)) and rows is not None and "$" not in rows[1]
    return Scale(None, scale.counts) if counted else scale


@lru_cache(maxsize=8)
def _majority(text: str) -> tuple[str | None, float]:
    """Return the scale of money that most notes of a document declare, and their share."""
    money = Counter(scope.scale.money for scope in _scopes(text) if scope.scale.money is not None)
    common, times = max(money.items(), key=lambda item: item[1], default=(None, 0))
    return common, times / max(money.total(), 1)
