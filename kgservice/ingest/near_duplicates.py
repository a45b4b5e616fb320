"""Articles that say nearly the same, in one load and across loads: of near-duplicates the first stays.

Documents of any kind with the very same text under several names are counted, and all of them stay.

Agencies' texts appear under many URLs with small changes. Two articles are near-duplicates when their sets of five-word
shingles overlap by four fifths (Jaccard), estimated by MinHash (Broder, 1997) as the datasketch library does it. Those
that may be are found by bands of their MinHashes, and their MinHashes are compared. Both are kept in a file, so that no
load reads the corpus again. Of articles from before the MinHashes were kept there are other bands alone. An article
that shares such a band counts as a near-duplicate, as it did then.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, islice
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgservice.core import keys
from kgservice.core.records import Document, Problem, Version
from kgservice.core.sqlite import transaction

SIMILAR, PERMUTATIONS, SHORTEST = 0.8, 128, 30  # texts below so many words are too short to tell
SHINGLE, TOGETHER = 5, 200  # words; articles a transaction
ROWS = 6  # of a band: 21 bands hold one that is equal for 99.8 % of texts that overlap by four fifths
SKETCHES = "sketch (corpus TEXT, source TEXT, hashes BLOB, PRIMARY KEY (corpus, source)) WITHOUT ROWID"
PARTS = "part (corpus TEXT, hash TEXT, source TEXT, PRIMARY KEY (corpus, hash, source)) WITHOUT ROWID"
ALIKE = """SELECT source, hashes FROM sketch WHERE corpus = :corpus AND source <> :source AND source IN
(SELECT source FROM part WHERE corpus = :corpus AND hash IN (SELECT value FROM json_each(:parts)))"""
BEFORE = """band (corpus TEXT, hash TEXT, source TEXT, PRIMARY KEY (corpus, hash, source),
UNIQUE (corpus, source, hash)) WITHOUT ROWID"""  # of articles without a MinHash
TEXTS = """text (corpus TEXT, source TEXT, hash TEXT, PRIMARY KEY (corpus, source), UNIQUE (corpus, hash, source))
WITHOUT ROWID"""
LOOKED_AT = 5  # documents with a text that are compared with one more

_Sketch: TypeAlias = NDArray[np.uint32]  # a MinHash


class Held(Protocol):
    """Says which of some documents a corpus holds, as `Graph.versions` does."""

    def __call__(self, corpus: str, sources: list[str]) -> Mapping[str, Version]: ...


class NearDuplicates:
    """The articles that loads have let through, by their MinHashes and the bands of these, in a file.

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
                with transaction(self._path, SKETCHES) as db:
                    for table in (PARTS, BEFORE):
                        db.execute(f"CREATE TABLE IF NOT EXISTS {table}")
                    outcomes = [self._outcome(db, item) for item in some if isinstance(item, Document)]
                yield from outcomes

    def _outcome(self, db: sqlite3.Connection, article: Document) -> Document | Problem:
        sketch, name = _sketch(article.text), article.source
        alike = self._alike(db, name, sketch) if sketch is not None else []
        if alike:
            held = self._held(self._corpus, [name, *alike])
            there = [one for one in alike if one in held or keys.digest(14, one) in self._here]
            if there and name not in held:
                detail = f"almost the text of {there[0]}"
                return Problem(source=name, state="rejected", reason="near duplicate", detail=detail)
        self._forget(db, name)
        if sketch is not None:
            db.execute("INSERT INTO sketch VALUES (?, ?, ?)", (self._corpus, name, sketch.tobytes()))
            rows = [(self._corpus, part, name) for part in _parts(sketch)]
            db.executemany("INSERT OR IGNORE INTO part VALUES (?, ?, ?)", rows)
        self._here.add(keys.digest(14, name))
        return article

    def _alike(self, db: sqlite3.Connection, name: str, sketch: _Sketch) -> list[str]:
        """Return the names of the other articles whose MinHash says that they overlap enough, sorted."""
        asked = {"corpus": self._corpus, "source": name, "parts": json.dumps(_parts(sketch))}
        rows = db.execute(ALIKE, asked).fetchall()
        others = np.frombuffer(b"".join(hashes for _, hashes in rows), np.uint32).reshape(-1, PERMUTATIONS)
        overlaps = np.mean(others == sketch, axis=1)
        found = {one for (one, _), overlap in zip(rows, overlaps, strict=True) if overlap >= SIMILAR}
        query = "SELECT source FROM band WHERE corpus = ? AND hash = ? AND source <> ?"
        for band in _bands_before(sketch):
            found.update(one for (one,) in db.execute(query, (self._corpus, band, name)))
        return sorted(found)

    def _forget(self, db: sqlite3.Connection, name: str) -> None:
        """Delete what an earlier load noted of an article."""
        own = (self._corpus, name)
        for (hashes,) in db.execute("SELECT hashes FROM sketch WHERE corpus = ? AND source = ?", own).fetchall():
            rows = [(self._corpus, part, name) for part in _parts(np.frombuffer(hashes, np.uint32))]
            db.executemany("DELETE FROM part WHERE corpus = ? AND hash = ? AND source = ?", rows)
        for table in ("sketch", "band"):
            db.execute(f"DELETE FROM {table} WHERE corpus = ? AND source = ?", own)  # noqa: S608


def _sketch(text: str) -> _Sketch | None:
    """Return the MinHash of a text, or None for a short one."""
    from datasketch import MinHash

    words = re.findall(r"\w+", text.lower())
    if len(words) < SHORTEST:
        return None
    sketch = MinHash(num_perm=PERMUTATIONS)
    sketch.update_batch({" ".join(words[at : at + SHINGLE]).encode() for at in range(len(words) - SHINGLE + 1)})
    return np.asarray(sketch.hashvalues, dtype=np.uint32)  # 32 bits are all that the library uses


def _parts(sketch: _Sketch) -> list[str]:
    """Return the bands of a MinHash: near-duplicates share one nearly always."""
    return [keys.digest(12, at, sketch[at : at + ROWS].tolist()) for at in range(0, len(sketch) - ROWS + 1, ROWS)]


def _bands_before(sketch: _Sketch) -> list[str]:
    """Return the bands of a MinHash as they were kept before it was."""
    return [keys.digest(20, at, sketch[first:last].tolist()) for at, (first, last) in enumerate(_ranges_before())]


@cache
def _ranges_before() -> list[tuple[int, int]]:
    """Return where those bands begin and end in a MinHash, as the library chooses them for SIMILAR."""
    from datasketch import MinHashLSH

    return [(first, last) for first, last in MinHashLSH(threshold=SIMILAR, num_perm=PERMUTATIONS).hashranges]
