"""The documents that a question over many documents selects, by type, year or another property.

A scorer estimates whether a document's text is relevant (PluriHop, section 4.3). Its properties are known and need no
estimate.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from kgservice.answering.reader.question_words import scope
from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.graph.store import Graph
from kgservice.retrieval.filter import SearchFilter
from kgservice.text.matching import normalised

PAGE = 1_000
PROPERTY = "metadata_"  # prefix of the properties of a stored document


class Described(Record):
    """A document's type, year of publication and properties, normalised for comparison."""

    key: str
    doc_type: str
    properties: tuple[tuple[str, str], ...]

    def fits(self, scope: str) -> bool:
        """Return whether the document has the type and properties of a scope ("oil reports whose year is 2024")."""
        _, its_type, rest = scope.partition(f" {self.doc_type}")
        return bool(its_type) and all(_fits(name, value, rest) for name, value in self.properties)


def _fits(name: str, value: str, scope: str) -> bool:
    """Return whether a scope says nothing of this property, its value, or a range of years around it."""
    if (years := re.search(rf" {re.escape(name)} (?:is )?from (\d{{4}}) to (\d{{4}}) ", scope)) and value.isdecimal():
        return int(years[1]) <= int(value) <= int(years[2])
    return f" {name} " not in scope or f" {value} " in scope


class DocumentScope:
    """The documents that questions of a corpus select.

    The corpus's documents are read once, at the first such question.
    """

    def __init__(self, graph: Graph, corpus: str) -> None:
        self._graph, self._corpus = graph, corpus

    def within(self, question: str) -> SearchFilter:
        """Return the filter for the documents that a question selects, or for all if it selects none."""
        if not (selection := scope(question)):
            return SearchFilter()
        words = f" {normalised(selection)} "
        fitting = [document for document in self._documents if document.fits(words)]
        longest = max((len(document.doc_type) for document in fitting), default=0)  # "annual reports" are no "reports"
        return SearchFilter(documents=tuple(each.key for each in fitting if len(each.doc_type) == longest))

    @cached_property
    def _documents(self) -> list[Described]:
        documents, after = list[Described](), (code := keys.corpus_code(self._corpus))
        while rows := self._graph.read("read/documents", after=after, until=code + "~", limit=PAGE):
            documents += [_described(dict(row["document"])) for row in rows]
            after = rows[-1]["document"]["key"]
        return [document for document in documents if document.doc_type]


def _described(stored: dict[str, Any]) -> Described:
    properties = {name.removeprefix(PROPERTY): value for name, value in stored.items() if name.startswith(PROPERTY)}
    if stored.get("published") is not None:
        properties["published"] = stored["published"].year
    pairs = ((normalised(name.replace("_", " ")), normalised(str(value))) for name, value in properties.items())
    doc_type = normalised((stored.get("doc_type") or "").replace("_", " ")).removesuffix("y")
    return Described(key=stored["key"], doc_type=doc_type, properties=tuple(sorted(pairs)))
