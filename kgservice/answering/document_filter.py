"""Where a question over many documents says that they are to be looked for: a type, a year, another property.

What a document says of the question is weighed (PluriHop, section 4.3); what it is, is known and need not be guessed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from kgservice.answering.reader.question_words import scope
from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.graph.store import Graph
from kgservice.retrieval.filter import SearchFilter
from kgservice.text.matching import normalised

PAGE = 1_000
PROPERTY = "metadata_"  # before the name of a property of a stored document


class Described(Record):
    """What a document is: its type, the year of its publication, its properties; all as words compare."""

    key: str
    doc_type: str
    properties: tuple[tuple[str, str], ...]

    def fits(self, told: str) -> bool:
        """Whether it is of the type, and has the properties, that words name ("oil reports whose year is 2024")."""
        _, its_type, rest = told.partition(f" {self.doc_type}")
        named = [value for name, value in self.properties if f" {name} " in rest]
        return bool(its_type) and all(f" {value} " in rest for value in named)


class DocumentScope:
    """Where questions of a corpus say to look; its documents are read once, at the first that says so."""

    def __init__(self, graph: Graph, corpus: str) -> None:
        self._graph, self._corpus = graph, corpus

    def within(self, question: str) -> SearchFilter:
        """Return the documents that a question asks of; all where it names none, or none that is there."""
        if not (told := scope(question)):
            return SearchFilter()
        words = f" {normalised(told)} "
        return SearchFilter(documents=tuple(one.key for one in self._documents if one.fits(words)))

    @cached_property
    def _documents(self) -> list[Described]:
        found, after = list[Described](), (code := keys.corpus_code(self._corpus))
        while rows := self._graph.read("read/documents", after=after, until=code + "~", limit=PAGE):
            found += [_described(dict(row["document"])) for row in rows]
            after = rows[-1]["document"]["key"]
        return [one for one in found if one.doc_type]


def _described(known: dict[str, Any]) -> Described:
    named = {name.removeprefix(PROPERTY): value for name, value in known.items() if name.startswith(PROPERTY)}
    if known.get("published") is not None:
        named["published"] = known["published"].year
    pairs = ((normalised(name.replace("_", " ")), normalised(str(value))) for name, value in named.items())
    doc_type = normalised((known.get("doc_type") or "").replace("_", " ")).removesuffix("y")
    return Described(key=known["key"], doc_type=doc_type, properties=tuple(sorted(pairs)))
