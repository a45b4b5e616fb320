"""The statements of a passage: its sentences, the cells of its tables, and what the entries of a manual state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kgservice.core.records import Record
from kgservice.extraction.tables.manual_entries import entry_statements
from kgservice.retrieval.bm25 import bare
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.sentences import sentences

STEM = 5  # letters compared: "directed" matches "director"
LONGEST_TITLE = 14  # words
ASKING = frozenset("what which who whom whose when where how many much name".split()) | BE | AUXILIARIES | PREPOSITIONS

_RULE = re.compile(r"\|?[\s:|-]+\|?")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
_MARK = re.compile(r"^(?:#{1,6}|[-*•])\s+")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"\n]*\")?\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1")


class PassageStatement(Record):
    """A sentence with its passage's title, or a table's cell with the headers of its row and column.

    `cell` is the value of a cell, or the name or value of a manual's entry, "" for a sentence. `kind` is the type of
    such a name where it is known. `own` are the stems of what the text tells (of an entry's description not of the name
    and its kind), `stems` those and the title's.
    """

    passage: int
    title: str
    text: str
    cell: str
    own: frozenset[str]
    stems: frozenset[str]
    kind: str = ""

    @property
    def subject(self) -> str:
        """Return the subject of the passage: its title without a part after a colon or in final brackets."""
        return _BRACKET.sub("", self.title.partition(":")[0]).strip()


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without question words and function words."""
    return frozenset(map(stem, bare(text) - ASKING))


def stem(word: str) -> str:
    """Return the stem of a lower-case word for comparison: its first five letters, "y" as "i".

    "studied" and "study" share a stem.
    """
    return word[:STEM].replace("y", "i")


def passage_statements(passages: Collection[str]) -> list[PassageStatement]:
    """Return the distinct statements of passages, in their order."""
    statements = dict[tuple[str, str], PassageStatement]()
    for at, passage in enumerate(passages):
        title = _title(passage)
        about = stems(title)
        body = passage[len(title) :].lstrip() if title else passage
        pieces = ((text, cell, text, "") for text, cell in _pieces(unmarked(body)))
        for text, cell, told, kind in (*pieces, *entry_statements(body, title)):
            if text != title:
                own = stems(told)
                statements.setdefault(
                    (title, text),
                    PassageStatement(
                        passage=at, title=title, text=text, cell=cell, own=own, stems=about | own, kind=kind
                    ),
                )
    return list(statements.values())


def unmarked(text: str) -> str:
    """Return a text without Markdown's links, pictures and bold marks: the words that are read.

    >>> unmarked("Made by **[Acme](https://acme.example/a_(b))**.")
    'Made by Acme.'
    """
    return _STRONG.sub(r"\2", _LINK.sub(r"\1", text))


def _title(passage: str) -> str:
    """Return the first line if it looks like a title, not a sentence or a table row, else ""."""
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
            if piece := " ".join(_MARK.sub("", line).split()):
                yield piece, ""
    yield from _cells(table)


def _cells(table: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Yield a statement a cell: the header of its row, the header of its column, its value."""
    if not table:
        return
    head, *rows = table
    for row in rows:
        for name, value in zip(head[1:], row[1:], strict=False):
            if value:
                yield f"{row[0]}, {name}: {value}" if name else f"{row[0]}: {value}", value
