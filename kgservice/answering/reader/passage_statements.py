"""What a passage states, piece by piece: its sentences, and of a table a statement a cell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kgservice.core.records import Record
from kgservice.retrieval.bm25 import bare
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.sentences import sentences

STEM = 5  # letters of a word that count: "directed" is by a "director"
LONGEST_TITLE = 14  # words
ASKING = frozenset("what which who whom whose when where how many much name".split()) | BE | AUXILIARIES | PREPOSITIONS

_RULE = re.compile(r"\|?[\s:|-]+\|?")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
_MARK = re.compile(r"^(?:#{1,6}|[-*•])\s+")


class PassageStatement(Record):
    """A sentence with its passage's title, or a table's cell with what its row and its column are called.

    `cell` is the value of a cell, "" for a sentence; `own` are the stems of the text, `stems` those of text and title.
    """

    passage: int
    title: str
    text: str
    cell: str
    own: frozenset[str]
    stems: frozenset[str]

    @property
    def subject(self) -> str:
        """What the passage is about: its title without what follows a colon, or stands in brackets at its end."""
        return _BRACKET.sub("", self.title.partition(":")[0]).strip()


def stems(text: str) -> frozenset[str]:
    """Return what the words of a text compare by, those left out that only ask or join."""
    return frozenset(map(stem, bare(text) - ASKING))


def stem(word: str) -> str:
    """Return what a word in small letters compares by: "studied" is said of who did "study"."""
    return word[:STEM].replace("y", "i")


def passage_statements(passages: Collection[str]) -> list[PassageStatement]:
    """Return everything that passages state, in their order, each once."""
    found = dict[tuple[str, str], PassageStatement]()
    for at, passage in enumerate(passages):
        title = _title(passage)
        about = stems(title)
        for text, cell in _pieces(passage[len(title) :].lstrip() if title else passage):
            if text != title:
                own = stems(text)
                one = PassageStatement(passage=at, title=title, text=text, cell=cell, own=own, stems=about | own)
                found.setdefault((title, text), one)
    return list(found.values())


def _title(passage: str) -> str:
    """The first line where it is a name, not a sentence or a row: a title stands above what it is the title of."""
    first, newline, _ = passage.partition("\n")
    plain = len(first.split()) <= LONGEST_TITLE and first[-1:] not in ".!?:;|" and first[:1] not in "|#-*"
    return first.strip() if newline and plain else ""


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    table: list[list[str]] = []
    for start, end in sentences(text):
        for line in text[start:end].split("\n") if text[start] == "|" else [text[start:end]]:
            if line.lstrip().startswith("|"):
                if not _RULE.fullmatch(line.strip()):
                    table.append([" ".join(cell.split()) for cell in line.strip().strip("|").split("|")])
                continue
            yield from _cells(table)
            table = []
            if said := " ".join(_MARK.sub("", line).split()):
                yield said, ""
    yield from _cells(table)


def _cells(table: list[list[str]]) -> Iterator[tuple[str, str]]:
    """A statement a cell: what its row is called, what its column is called, its value."""
    if not table:
        return
    head, *rows = table
    for row in rows:
        for name, value in zip(head[1:], row[1:], strict=False):
            if value:
                yield f"{row[0]}, {name}: {value}" if name else f"{row[0]}: {value}", value
