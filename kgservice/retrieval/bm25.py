"""BM25 over titles and texts: Lucene's full-text index in Neo4j, English stemming.

Document frequencies and the average length are the corpus's own on Neo4j 2026. On 5.26 all corpora share the index, and
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
from kgservice.retrieval.hit import Hit, PlacedHit
from kgservice.retrieval.retriever import Look, Retriever

MAX_WORDS = 500  # each is searched in two fields, and Lucene takes 1,024 clauses a query

# Cuts where Lucene's tokenizer certainly cuts and leaves the rest to it: a word holds no white space, none of Lucene's
# operators, and of ASCII punctuation only ' . _, a comma or semicolon between digits, a colon between letters. Han and
# Hiragana are one word a character there.
_ALONE = "\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CUTS = r"\s\x00-\x1f!-&(-\-/:-@\[-^`{-\x7f\u2000-\u2018\u201a-\u206f\u3000-\u303f"
_WORD = re.compile(
    rf"[{_ALONE}]|(?:[^{_ALONE}{_CUTS}]|(?<=\d)[,;](?=\d)|(?<=[^\W\d_]):(?=[^\W\d_]))+",
)
_END = re.compile(rf"[{_ALONE}{_CUTS}'.’,;:]")  # characters that may be next to a word

# stop words of the index's analyzer (db.index.fulltext.listAvailableAnalyzers)
_STOPPED = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


class BM25Retriever(Retriever):
    """A ranking of chunks by BM25 of the query's words in title and text.

    `why` lists the words that occur literally.
    """

    slack: ClassVar[int] = 4  # candidates beyond k, to detect ties with the k-th, which near-duplicates often cause

    def _find(self, query: str) -> list[Hit]:
        counts = words(query)
        return [PlacedHit(**row, why={"words": _literal_words(counts, row)}) for row in self.best(counts)]

    def best(self, counts: dict[str, int], look: Look | None = None) -> list[dict[str, Any]]:
        """Return the rows of the k best chunks for a query's words.

        `look` is a first look at k + slack candidates, if the caller has one. Each further look is four times as wide,
        until the k-th candidate scores better than the last one: the rest cannot tie with it.
        """
        if not counts:
            return []
        text, limit, where = lucene_query(counts), self.k + self.slack, self.within.parameters(self.graph, self.corpus)
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
    """Turn Lucene's error for too many clauses into BadRequest. The analyzer can split one word into thousands."""
    try:
        yield
    except ClientError as error:
        if "maxClauseCount" in str(error):
            raise BadRequest("the query has too many words: shorten it") from error
        raise


def words(query: str) -> dict[str, int]:
    """Return the first 500 distinct words of a query, in lower case, with how often each occurs.

    Stop words of the index ("the") are dropped.
    """
    kept = (word for word in _WORD.findall(lowered(query)) if word not in _STOPPED)
    counts = Counter(word for word in kept if any(char.isalnum() for char in word))
    return dict(list(counts.items())[:MAX_WORDS])


def lowered(text: str) -> str:
    """Return a text in lower case as Lucene makes it, letter by letter: İ is i, and Σ is σ at the end of a word too."""
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def bare(text: str) -> frozenset[str]:
    """Return the words of a text for comparison, in lower case.

    Stop words are dropped, and full stops and apostrophes at the ends of words.
    """
    terms: set[str] = set()
    for piece in set(lowered(text).split()):
        if piece.isascii() and piece.isalnum():  # true of most words, and much faster than the pattern
            terms.add(piece)
        else:
            terms.update(word.strip("'.’") for word in _WORD.findall(piece))
    return frozenset(terms) - _STOPPED - {""}


def lucene_query(counts: dict[str, int]) -> str:
    """Return the index query for any of the words in title or text.

    A word that occurs n times has weight n, as in BM25's sum over the query's terms.
    """
    terms = " ".join(word.replace(":", "\\:") + (f"^{number}" if number > 1 else "") for word, number in counts.items())
    return f"title:({terms}) text:({terms})"


def _literal_words(terms: Iterable[str], row: dict[str, Any]) -> tuple[str, ...]:
    """Return the query's words that occur literally in a chunk's title or text."""
    text = lowered(f" {row['title']} {row['text']} ")
    return tuple(word for word in terms if _occurs(word.strip("'.’"), text))


def _occurs(word: str, text: str) -> bool:
    """Return whether a word occurs in a text between two word boundaries.

    Splitting the whole text would be slower.
    """
    at = text.find(word)
    while at > 0 and not (_END.match(text[at - 1]) and _END.match(text[at + len(word)])):
        at = text.find(word, at + 1)
    return at > 0
