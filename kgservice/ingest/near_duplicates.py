"""Articles that say nearly the same, in one load and across loads: of near-duplicates the first stays.

Documents of any kind with the very same text under several names are counted, and all of them stay.

Agencies' texts appear under many URLs with small changes. Two articles are near-duplicates when their sets of five-word
shingles overlap by four fifths (Jaccard), estimated by MinHash (Broder, 1997) as the datasketch library does it. They
are found by bands of their MinHashes, kept in a file, so that no load reads the corpus again.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import Protocol

from kgservice.core import keys
from kgservice.core.records import Document, Problem, Version
from kgservice.core.sqlite import transaction

SIMILAR, PERMUTATIONS, SHORTEST = 0.8, 128, 30  # texts below so many words are too short to tell
SHINGLE, TOGETHER = 5, 200  # words; articles a transaction
TABLE = """band (corpus TEXT, hash TEXT, source TEXT, PRIMARY KEY (corpus, hash, source), UNIQUE (corpus, source, hash))
WITHOUT ROWID"""
TEXTS = """text (corpus TEXT, source TEXT, hash TEXT, PRIMARY KEY (corpus, source), UNIQUE (corpus, hash, source))
WITHOUT ROWID"""
LOOKED_AT = 5  # documents with a text that are compared with one more


class Held(Protocol):
    """Says which of some documents a corpus holds, as `Graph.versions` does."""

    def __call__(self, corpus: str, sources: list[str]) -> Mapping[str, Version]: ...


class NearDuplicates:
    """The articles that loads have let through, by the bands of their MinHashes, in a file.

    The graph says which of them are still there: a file that is lost or old costs only twins that are not found.
    """

    def __init__(self, path: Path, corpus: str, held: Held) -> None:
        self._path, self._corpus, self._held = path, corpus, held
        self._here: set[str] = set()  # let through in this load
        self._same: dict[str, tuple[set[str], set[str]]] = {}  # by text: names in this load, names of other documents

    def once(self, found: Iterable[Document | Problem]) -> Iterator[Document | Problem]:
        """Let through what is no news, and of the articles that say nearly the same the first.

        An article that the corpus holds under its own name passes whatever it says now: it is diffed.
        """
        left = self._distinct(found)
        while some := list(islice(left, TOGETHER)):
            with transaction(self._path, TEXTS) as db:
                for item in some:
                    if isinstance(item, Document) and item.text.strip():
                        self._compare(db, item)
            yield from some

    def same_texts(self) -> int:
        """Return how many documents of this load have the text of another one; of several here the first has not."""
        return sum(len(here) - (not others - here) for here, others in self._same.values())

    def example(self) -> tuple[str, ...]:
        """Return the names of two documents with one text, the first by name; empty if there are none."""
        pairs = (tuple(sorted(here | others)[:2]) for here, others in self._same.values())
        return min(pairs, default=())

    def _compare(self, db: sqlite3.Connection, document: Document) -> None:
        """Note the text of a document, and the documents that are there with the same one."""
        text, name = keys.digest(20, document.text), document.source
        query = "SELECT source FROM text WHERE corpus = ? AND hash = ? AND source <> ? LIMIT ?"
        alike = [row[0] for row in db.execute(query, (self._corpus, text, name, LOOKED_AT))]
        if alike:
            held = self._held(self._corpus, alike)
            near = {one for one in alike if keys.digest(14, one) in self._here}
            there = near | {one for one in alike if one in held}
            if there:
                here, others = self._same.setdefault(text, (set(), set()))
                here |= {name, *near}
                others |= there
            lost = [(self._corpus, one) for one in alike if one not in there]
            db.executemany("DELETE FROM text WHERE corpus = ? AND source = ?", lost)
        db.execute("INSERT OR REPLACE INTO text VALUES (?, ?, ?)", (self._corpus, name, text))
        self._here.add(keys.digest(14, name))

    def _distinct(self, found: Iterable[Document | Problem]) -> Iterator[Document | Problem]:
        """Yield what is no news, and of the articles that say nearly the same the first."""
        for news, group in groupby(found, lambda item: isinstance(item, Document) and item.doc_type == "news"):
            if not news:
                yield from group
                continue
            while some := list(islice(group, TOGETHER)):
                with transaction(self._path, TABLE) as db:
                    outcomes = [self._outcome(db, item) for item in some if isinstance(item, Document)]
                yield from outcomes

    def _outcome(self, db: sqlite3.Connection, article: Document) -> Document | Problem:
        bands = _bands(article.text)
        query = "SELECT source FROM band WHERE corpus = ? AND hash = ? AND source <> ?"
        alike = sorted({row[0] for band in bands for row in db.execute(query, (self._corpus, band, article.source))})
        if alike:
            held = self._held(self._corpus, [article.source, *alike])
            there = [name for name in alike if name in held or keys.digest(14, name) in self._here]
            if there and article.source not in held:
                detail = f"almost the text of {there[0]}"
                return Problem(source=article.source, state="rejected", reason="near duplicate", detail=detail)
        db.execute("DELETE FROM band WHERE corpus = ? AND source = ?", (self._corpus, article.source))
        rows = [(self._corpus, band, article.source) for band in bands]
        db.executemany("INSERT OR IGNORE INTO band VALUES (?, ?, ?)", rows)
        self._here.add(keys.digest(14, article.source))
        return article


def _bands(text: str) -> list[str]:
    """The bands of a text's MinHash: near-duplicates share one; none for a short text."""
    from datasketch import MinHash

    words = re.findall(r"\w+", text.lower())
    if len(words) < SHORTEST:
        return []
    sketch = MinHash(num_perm=PERMUTATIONS)
    sketch.update_batch({" ".join(words[at : at + SHINGLE]).encode() for at in range(len(words) - SHINGLE + 1)})
    return [keys.digest(20, at, sketch.hashvalues[first:last].tolist()) for at, (first, last) in enumerate(_ranges())]


@cache
def _ranges() -> list[tuple[int, int]]:
    """Where the bands begin and end in a MinHash, as the library chooses them for SIMILAR."""
    from datasketch import MinHashLSH

    return [(first, last) for first, last in MinHashLSH(threshold=SIMILAR, num_perm=PERMUTATIONS).hashranges]
