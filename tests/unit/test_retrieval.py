"""What of a query reaches the full-text index."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from kgservice.retrieval.bm25 import MAX_WORDS, lucene_query, words
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.retriever import Retriever


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Capital of France?", ["capital", "france"]),
        ('AND ( OR) NOT "a b"~3 x^2 [a TO b] te*t te?t +a -b a:b/c && || !', "b 3 x 2 te t a:b c"),
        ("O'Brien’s U.S.-based 10,000km 3.5% foo_bar", ["o'brien’s", "u.s.", "based", "10,000km", "3.5", "foo_bar"]),
        ("C:\\path\\to “quoted”—dashed…", ["c", "path", "quoted", "dashed"]),
        ("東京は café", ["東", "京", "は", "café"]),
        ("İstanbul ΟΔΟΣ", ["istanbul", "οδοσ"]),
        ("... ' _ 😀 —", []),
    ],
)
def test_words_are_plain(query: str, expected: str | list[str]) -> None:
    assert list(words(query)) == list(dict.fromkeys(expected.split() if isinstance(expected, str) else expected))


def test_words_count_and_are_bounded() -> None:
    assert words("Paris paris  PARIS river") == {"paris": 3, "river": 1}
    many = words(" ".join(f"w{number}" for number in range(10_000)))
    assert list(many) == [f"w{number}" for number in range(MAX_WORDS)]


def test_words_are_looked_for_in_title_and_text() -> None:
    assert lucene_query({"paris": 2, "a:b": 1}) == "title:(paris^2 a\\:b) text:(paris^2 a\\:b)"


class FakeGraph:
    def spread(self, code: str, work: Callable[[Any], list[Hit]]) -> list[Hit]:
        return work(self)

    def check_corpus(self, corpus: str) -> None: ...


class Remembering(Retriever):
    """A retriever that finds nothing and remembers what it was asked."""

    asked: list[str]

    def _over(self, graph: object) -> Remembering:
        return self

    def _find(self, query: str) -> list[Hit]:
        self.asked.append(query)
        return []


def test_a_query_is_in_composed_letters_as_documents_are() -> None:
    asked: list[str] = []
    retriever = Remembering.model_construct(graph=FakeGraph(), corpus="c", k=1, within=SearchFilter(), asked=asked)
    assert retriever.hits(unicodedata.normalize("NFD", "José García")) == []
    assert asked == ["José García"]
