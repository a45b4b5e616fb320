"""The local index of Wikidata: the items of a name, similar names, and the data of an item.

It is one SQLite file, read by page, so opening it is instant and memory does not grow with it. index_build.py builds
it. docs/linking.md has its size at 10^5, 10^6 and 10^8 items.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple, Self

from rapidfuzz import fuzz, process

from kgservice.core.errors import NotFound
from kgservice.core.records import Record
from kgservice.names.mentions import form

SCHEMA = 2  # version of the file; one of another version must be built anew
POSTINGS = 20_000  # names compared with a misspelt one, those with the rarest trigrams first
GRAMS = 12  # trigrams of a name that are looked up
TOGETHER = 3  # rarest trigrams that are combined if each is in more names than POSTINGS
LEAST = 70.0  # least similarity of names, of 100
ALIKE = ((fuzz.ratio, 1.0), (fuzz.token_set_ratio, 0.9))  # measures of similarity, and their weights
KEPT = 50_000  # items and names that stay in memory, some 100 MB at most
NAMESAKES = 100  # items of one name that are read, the most prominent first
MAX_NAME = 250  # characters, Wikidata's own limit of a label; nothing longer is looked up
LABEL, ALIAS, INITIALS = 0, 1, 2  # kinds of names

RELATED = (
    "SELECT object FROM claims WHERE subject = ? AND object IN (SELECT value FROM json_each(?))",
    "SELECT subject FROM claims WHERE object = ? AND subject IN (SELECT value FROM json_each(?))",
)
AS_SUBJECT = "SELECT count(*) FROM (SELECT 1 FROM claims WHERE subject = ? AND property = ? LIMIT ?)"
AS_OBJECT = "SELECT count(*) FROM (SELECT 1 FROM claims WHERE object = ? AND property = ? LIMIT ?)"


class IndexedItem(Record):
    """An item or a property of the index. `prominence` counts its sitelinks and claims."""

    number: int
    label: str
    description: str
    aliases: tuple[str, ...]
    types: tuple[int, ...]
    prominence: int


class NameMatch(NamedTuple):
    """An item with a name: the folded form, its kind (LABEL, ALIAS, INITIALS), and the similarity, of 100."""

    item: int
    form: str
    how: int
    likeness: float


class Status(Record):
    """The content of an index and its sources. `fingerprint` identifies the content, "" while it is being built."""

    path: str
    fingerprint: str
    languages: str
    items: int
    properties: int
    names: int
    claims: int
    megabytes: float
    sources: tuple[str, ...]


@lru_cache(maxsize=65536)
def folded(name: str) -> str:
    """Return the form of a name for lookup, without Latin diacritics.

    A name without letters or digits keeps its signs.

    >>> folded("The Beyoncé"), folded("Ｔokyo"), folded("♁")
    ('beyonce', 'tokyo', '♁')
    """
    marked = unicodedata.normalize("NFKD", name)
    plain = unicodedata.normalize("NFC", "".join(sign for sign in marked if not "\u0300" <= sign <= "\u036f"))
    return form(plain) or " ".join(plain.casefold().split())


def initials(name: str) -> str:
    """Return the initials of a name of three words and more that begin with a capital, "" of any other.

    >>> initials("Organization for Security and Co-operation in Europe"), initials("Oslo")
    ('osce', '')
    """
    first = [word[0] for word in name.split() if word[0].isupper()]
    return "".join(first).lower() if 3 <= len(first) <= 6 else ""


class Wikidata:
    """A finished index, opened for reading, a context manager. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        if not self.path.is_file():
            raise NotFound(f"no index of Wikidata at {self.path}: make one with `kgservice wikidata index SOURCE…`")
        self._db = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        self._db.execute("PRAGMA mmap_size=8589934592")
        self._item = lru_cache(maxsize=KEPT)(self._read_item)  # an index is read only
        self._named = lru_cache(maxsize=KEPT)(self._read_named)
        if not self.fingerprint:
            self._db.close()
            reason = "is not finished, or of another version: run its `kgservice wikidata index …` again"
            raise NotFound(f"the index at {self.path} {reason}")
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    @cached_property
    def fingerprint(self) -> str:
        """Return the hash of the index's content, "" while it is being built."""
        try:
            rows = dict(self._db.execute("SELECT name, value FROM about"))
        except sqlite3.DatabaseError as error:
            raise NotFound(f"{self.path} is no index of Wikidata: make one with `kgservice wikidata index`") from error
        return str(rows["fingerprint"]) if rows.get("schema") == str(SCHEMA) and "fingerprint" in rows else ""

    def named(self, wanted: str) -> Sequence[NameMatch]:
        """Return the items with this name in its folded form, the most prominent first."""
        return self._named(wanted)

    def _read_named(self, wanted: str) -> tuple[NameMatch, ...]:
        query = """
            SELECT item, how FROM forms JOIN names ON names.form = forms.id JOIN items ON items.id = item
            WHERE forms.form = ? ORDER BY items.sitelinks + items.claims DESC, item LIMIT ?
        """
        return tuple(NameMatch(item, wanted, how, 100.0) for item, how in self._db.execute(query, (wanted, NAMESAKES)))

    def similar(self, wanted: str, limit: int) -> list[NameMatch]:
        """Return items with a name of similar spelling or with all its words, the most similar first.

        Names that share most of the rarest trigrams are compared with rapidfuzz. Two characters have no trigram.
        """
        places = self._sharing(wanted)
        if not places:
            return []
        query = "SELECT form FROM forms WHERE id IN (SELECT value FROM json_each(?))"
        forms = [row[0] for row in self._db.execute(query, (json.dumps(places),))]
        best: dict[str, float] = {}
        for scorer, worth in ALIKE:  # one after the other, so that rapidfuzz's own code compares all names
            near = process.extract(wanted, forms, scorer=scorer, score_cutoff=LEAST / worth, limit=limit)
            best |= {name: max(worth * score, best.get(name, 0.0)) for name, score, _ in near}
        matches = []
        for name, score in sorted(best.items(), key=lambda one: (-one[1], one[0]))[:limit]:
            if name != wanted:
                matches += [one._replace(likeness=score) for one in self.named(name)[:limit]]
        return matches[: 2 * limit]

    def items(self, numbers: Iterable[int]) -> dict[int, IndexedItem]:
        """Return the data of these items by number. Unknown ones are dropped."""
        return {one.number: one for number in numbers if (one := self._item(number))}

    def _read_item(self, number: int) -> IndexedItem | None:
        query = "SELECT id, label, description, aliases, types, sitelinks + claims FROM items WHERE id = ?"
        row = self._db.execute(query, (number,)).fetchone()
        return _known(row) if row else None

    @cached_property
    def properties(self) -> tuple[IndexedItem, ...]:
        """Return all properties, some thousands at most."""
        query = (
            "SELECT id, label, description, aliases, types, sitelinks + claims FROM items WHERE id < 0 ORDER BY id DESC"
        )
        return tuple(_known(row) for row in self._db.execute(query))

    def related(self, item: int, others: Sequence[int]) -> int:
        """Return the number of the others with which an item has a claim, in either direction."""
        numbers = json.dumps([other for other in others if other != item])
        return len({row[0] for way in RELATED for row in self._db.execute(way, (item, numbers))})

    def served(self, item: int, prop: int, *, subject: bool, limit: int = 100) -> int:
        """Return the number of claims of a property with an item as subject or object, at most `limit`.

        `prop` is the property's positive number.
        """
        query = AS_SUBJECT if subject else AS_OBJECT
        return int(self._db.execute(query, (item, prop, limit)).fetchone()[0])

    def claims_between(self, subject: int, obj: int) -> frozenset[int]:
        """Return the properties that the reference claims from subject to object."""
        query = "SELECT property FROM claims WHERE subject = ? AND object = ?"
        return frozenset(row[0] for row in self._db.execute(query, (subject, obj)))

    def status(self) -> Status:
        """Return the counts of the index's content."""
        about = dict(self._db.execute("SELECT name, value FROM about"))
        counts = {
            "items": "SELECT count(*) FROM items WHERE id > 0",
            "properties": "SELECT count(*) FROM items WHERE id < 0",
            "names": "SELECT count(*) FROM names",
            "claims": "SELECT count(*) FROM claims",
        }
        return Status(
            path=str(self.path),
            fingerprint=self.fingerprint,
            languages=about["languages"],
            megabytes=round(self.path.stat().st_size / 2**20, 1),
            sources=tuple(row[0] for row in self._db.execute("SELECT name FROM sources ORDER BY name")),
            **{name: self._db.execute(query).fetchone()[0] for name, query in counts.items()},
        )

    def _sharing(self, wanted: str) -> list[int]:
        """Return the names that share the most of the rarest trigrams, at most five hundred."""
        grams = sorted({wanted[at : at + 3] for at in range(len(wanted) - 2)})
        counted = sorted((row[0], gram) for gram in grams if (row := self._count(gram)))
        shared, compared = Counter[int](), 0
        for count, gram in counted[:GRAMS]:
            compared += count
            if compared > POSTINGS:
                break
            shared.update(self._having(gram))
        if not shared:  # each trigram is in very many names: combine the rarest ones
            shared.update(self._having(*(gram for _, gram in counted[:TOGETHER])))
        return [place for place, _ in nsmallest(500, shared.items(), key=lambda one: (-one[1], one[0]))]

    def _having(self, *grams: str) -> Iterator[int]:
        """Return the names with all of some trigrams."""
        expression = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams)
        query = "SELECT rowid FROM grams WHERE grams MATCH ? LIMIT ?"
        return (row[0] for row in self._db.execute(query, (expression, POSTINGS))) if grams else iter(())

    def _count(self, gram: str) -> tuple[int] | None:
        return self._db.execute("SELECT names FROM gram_sizes WHERE gram = ?", (gram,)).fetchone()  # type: ignore[no-any-return]


def described(item: IndexedItem) -> str:
    """Return the text to embed for an item or a property in context."""
    return f"{item.label}: {item.description}" if item.description else item.label


def likeness(wanted: str, name: str) -> float:
    """Return the similarity of two names, of 100, at most 90 if one has all words of the other and more."""
    return max(worth * scorer(wanted, name) for scorer, worth in ALIKE)


def _known(row: tuple[int, str, str, str, str, int]) -> IndexedItem:
    aliases, types = tuple(json.loads(row[3])), tuple(json.loads(row[4]))
    return IndexedItem(number=row[0], label=row[1], description=row[2], aliases=aliases, types=types, prominence=row[5])
