"""BM25 over titles and texts: Lucene's full-text index in Neo4j, English stemming.

Document frequencies and the average length are the corpus's own on Neo4j 2026. Before, all corpora share the index, and
they are those of the whole database.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from neo4j.exceptions import ClientError

from kgservice.core.errors import BadRequest
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.retriever import Look, Retriever

MAX_WORDS = 500  # each is looked for in two fields, and Lucene takes 1,024 clauses a query

# Cuts where Lucene's tokenizer certainly cuts and leaves the rest to it: a word holds no white space, none of Lucene's
# operators, and of ASCII punctuation only ' . _, a comma or semicolon between digits, a colon between letters. Han and
# Hiragana are one word a character there.
_ALONE = "\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CUTS = r"\s\x00-\x1f!-&(-\-/:-@\[-^`{-\x7f\u2000-\u2018\u201a-\u206f\u3000-\u303f"
_WORD = re.compile(
    rf"[{_ALONE}]|(?:[^{_ALONE}{_CUTS}]|(?<=\d)[,;](?=\d)|(?<=[^\W\d_]):(?=[^\W\d_]))+",
)
_END = re.compile(rf"[{_ALONE}{_CUTS}'.’,;:]")  # what may stand beside a word

# what the index's analyzer leaves out (db.index.fulltext.listAvailableAnalyzers)
_STOPPED = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


class BM25Retriever(Retriever):
    """Ranks chunks by BM25 of the query's words in title and text; `why` names the words found literally."""

    slack: ClassVar[int] = 4  # candidates beyond k that show whether others tie with the k-th: like passages often do

    def _find(self, query: str) -> list[Hit]:
        asked = words(query)
        return [Hit(**row, why={"words": _found(asked, row)}) for row in self.best(asked)]

    def best(self, asked: dict[str, int], look: Look | None = None) -> list[dict[str, Any]]:
        """Return the rows of the k best chunks for a query's words; `look`, at k + slack candidates, if had already.

        More and more candidates are looked at until the k-th is better than the worst: the rest cannot tie with it.
        """
        if not asked:
            return []
        text, limit, where = lucene_query(asked), self.k + self.slack, self.within.parameters(self.graph, self.corpus)
        while True:
            look = look or self._look(text=text, limit=limit, k=self.k, **where)
            hits: list[dict[str, Any]] = look["hits"]
            if look["seen"] < limit or (len(hits) == self.k and hits[-1]["score"] > look["last"]):
                return hits
            look, limit = None, 4 * limit

    def _look(self, **parameters: Any) -> Look:
        with refusing_many_words():
            return self.graph.read("retrieve/chunk_text", **parameters)[0]


@contextmanager
def refusing_many_words() -> Iterator[None]:
    """Refuse a query with a word that the analyzer takes apart into very many (BadRequest)."""
    try:
        yield
    except ClientError as error:
        if "maxClauseCount" in str(error):
            raise BadRequest("the query has too many words: shorten it") from error
        raise


def words(query: str) -> dict[str, int]:
    """Return the first 500 distinct words of a query, in lower case, with how often each occurs in all of it.

    Words that the index leaves out ("the") are not among them.
    """
    found = (word for word in _WORD.findall(query.lower()) if word not in _STOPPED)
    counts = Counter(word for word in found if any(char.isalnum() for char in word))
    return dict(list(counts.items())[:MAX_WORDS])


def bare(text: str) -> frozenset[str]:
    """Return the words of a text as they compare: in lower case, without the full stop or apostrophe at an end."""
    found: set[str] = set()
    for piece in set(text.lower().split()):
        if piece.isascii() and piece.isalnum():  # most are, and looking closer is dear
            found.add(piece)
        else:
            found.update(word.strip("'.’") for word in _WORD.findall(piece))
    return frozenset(found) - _STOPPED - {""}


def lucene_query(counts: dict[str, int]) -> str:
    """Return the query for the index: any of the words in title or text.

    A word that occurs n times counts n times, as in BM25's sum over the query's terms.
    """
    terms = " ".join(word.replace(":", "\\:") + (f"^{number}" if number > 1 else "") for word, number in counts.items())
    return f"title:({terms}) text:({terms})"


def _found(asked: Iterable[str], row: dict[str, Any]) -> tuple[str, ...]:
    """The asked words that stand in a chunk as they are."""
    told = f" {row['title']} {row['text']} ".lower()
    return tuple(word for word in asked if _stands(word.strip("'.’"), told))


def _stands(word: str, told: str) -> bool:
    """Whether a word stands in a text between two ends of words; taking all of the text apart is dear."""
    at = told.find(word)
    while at > 0 and not (_END.match(told[at - 1]) and _END.match(told[at + len(word)])):
        at = told.find(word, at + 1)
    return at > 0
