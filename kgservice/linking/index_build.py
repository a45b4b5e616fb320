"""The build of the local index of Wikidata, one SQLite file. Progress is committed, so a stopped build resumes.

Rows are appended while sources are read. Names are sorted in only after the last source (`finish`), so that the build
does not slow down as the index grows. A name's trigrams are SQLite's own full-text index. The number of names with each
is stored beside it, as the full-text index would count them at every lookup.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.linking.wikidata_dump import ItemClaim, WikidataItem, read
from kgservice.linking.wikidata_index import ALIAS, INITIALS, LABEL, MAX_NAME, SCHEMA, folded, initials

COMMIT = 20_000  # rows; the most that a kill loses

PRAGMAS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-200000;"
TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sources (
  name TEXT PRIMARY KEY, size INTEGER, modified INTEGER, given INTEGER, items INTEGER, claims INTEGER, rejected TEXT,
  done INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS items (
  id INTEGER PRIMARY KEY, label TEXT, description TEXT, aliases TEXT, types TEXT, sitelinks INTEGER,
  claims INTEGER DEFAULT 0
);
CREATE TABLE IF NOT EXISTS staged (form TEXT, item INTEGER, how INTEGER);
CREATE TABLE IF NOT EXISTS forms (id INTEGER PRIMARY KEY, form TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS names (form INTEGER, item INTEGER, how INTEGER, PRIMARY KEY (form, item)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (
  subject INTEGER, property INTEGER, object INTEGER, PRIMARY KEY (subject, object, property)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS grams USING fts5(form, content='', columnsize=0, detail=none, tokenize='trigram');
CREATE VIRTUAL TABLE IF NOT EXISTS gram_counts USING fts5vocab(grams, row);
CREATE TABLE IF NOT EXISTS gram_sizes (gram TEXT PRIMARY KEY, names INTEGER) WITHOUT ROWID;
"""
ITEM = """
INSERT INTO items (id, label, description, aliases, types, sitelinks) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
  label = CASE WHEN label = '' THEN excluded.label ELSE label END,
  description = CASE WHEN description = '' THEN excluded.description ELSE description END,
  aliases = CASE WHEN aliases = '[]' THEN excluded.aliases ELSE aliases END,
  types = CASE WHEN types = '[]' THEN excluded.types ELSE types END,
  sitelinks = max(sitelinks, excluded.sitelinks)
"""
FINISH = """
INSERT OR IGNORE INTO forms (form) SELECT DISTINCT form FROM staged ORDER BY form;
INSERT INTO names SELECT forms.id AS form, item, min(how) FROM staged JOIN forms USING (form)
  GROUP BY 1, 2 ORDER BY 1, 2 ON CONFLICT (form, item) DO UPDATE SET how = min(how, excluded.how);
INSERT INTO grams (rowid, form) SELECT id, form FROM forms
  WHERE id > (SELECT coalesce(max(cast(value AS INTEGER)), 0) FROM about WHERE name = 'grams') ORDER BY id;
INSERT OR REPLACE INTO about SELECT 'grams', max(id) FROM forms;
INSERT OR REPLACE INTO gram_sizes SELECT term, doc FROM gram_counts;
DELETE FROM staged;
CREATE INDEX IF NOT EXISTS claims_object ON claims (object, property);
UPDATE items SET
  claims = (SELECT count(*) FROM claims WHERE subject = id) + (SELECT count(*) FROM claims WHERE object = id);
"""


class SourceReport(Record):
    """The counts of a source: given = items + claims + rejected, by reason. `resumed`: rows of earlier runs."""

    source: str
    given: int
    items: int
    claims: int
    rejected: dict[str, int]
    resumed: int


class Building:
    """An index in the making, a context manager. A source that it already holds is not read again."""

    def __init__(self, path: Path, languages: Sequence[str]) -> None:
        self._path, self._languages = path, tuple(languages)

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(self._path)
        self._db.executescript(PRAGMAS + TABLES)
        languages = ",".join(self._languages)
        for name, value in (("schema", str(SCHEMA)), ("languages", languages)):
            self._db.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, value))
            stored = self._db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()[0]
            if stored != value:
                raise BadRequest(
                    f"{self._path} was built with {name} {stored}, not {value}: give another --out, or remove it"
                )
        self._db.commit()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._db.close()

    def add(self, path: Path, advance: Callable[[int], None] = lambda _: None) -> SourceReport:
        """Read a source to its end, from where an earlier run stopped. Raises BadRequest if it cannot be read."""
        if not path.is_file():
            raise BadRequest(f"no file {path}: give a Wikidata dump or a table (docs/linking.md)")
        name, stat = path.name, path.stat()
        query = "SELECT size, modified, given, items, claims, rejected, done FROM sources WHERE name = ?"
        known = self._db.execute(query, (name,)).fetchone() or (stat.st_size, stat.st_mtime_ns, 0, 0, 0, "{}", 0)
        if known[:2] != (stat.st_size, stat.st_mtime_ns):
            raise BadRequest(
                f"another {name} is in {self._path} already: give another --out, or remove it and begin again"
            )
        given, items, claims, done = known[2], known[3], known[4], known[6]
        rejected, resumed = Counter[str](json.loads(known[5])), given
        pending: list[WikidataItem | ItemClaim] = []

        def keep(finished: bool) -> None:
            self._keep(pending)
            pending.clear()
            row = (name, stat.st_size, stat.st_mtime_ns, given, items, claims, json.dumps(rejected), int(finished))
            self._db.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._db.execute("DELETE FROM about WHERE name = 'fingerprint'")
            self._db.commit()

        for entry in () if done else read(path, self._languages, skip=given):
            given += 1
            if isinstance(entry, str):
                rejected[entry] += 1
            else:
                items, claims = items + isinstance(entry, WikidataItem), claims + isinstance(entry, ItemClaim)
                pending.append(entry)
            if given % COMMIT == 0:
                keep(False)
                advance(COMMIT)
        if not done:
            keep(True)
        known = {"given": given, "items": items, "claims": claims, "rejected": dict(sorted(rejected.items()))}
        return SourceReport(source=name, resumed=resumed, **known)

    def finish(self) -> None:
        """Sort the names in and count the claims. An index cannot be used before."""
        if self._db.execute("SELECT 1 FROM about WHERE name = 'fingerprint'").fetchone():
            return
        with self._db:
            for statement in FINISH.split(";")[:-1]:
                self._db.execute(statement)
            rows = self._db.execute("SELECT name, size, given, items, claims FROM sources ORDER BY name").fetchall()
            print_ = keys.digest(10, SCHEMA, self._languages, rows)
            self._db.execute("INSERT OR REPLACE INTO about VALUES ('fingerprint', ?)", (print_,))
        self._db.execute("PRAGMA optimize")
        self._db.execute("PRAGMA journal_mode=DELETE")  # a single file, readable on a read-only disk

    def _keep(self, rows: Iterable[WikidataItem | ItemClaim]) -> None:
        items = [one for one in rows if isinstance(one, WikidataItem)]
        triples = [tuple(one) for one in rows if isinstance(one, ItemClaim)]
        triples += [(item.number, prop, obj) for item in items for prop, obj in item.claims]
        self._db.executemany("INSERT OR IGNORE INTO claims VALUES (?, ?, ?)", triples)
        self._db.executemany(ITEM, map(_row, items))
        names = (row for item in items if item.number > 0 for row in _names(item))
        self._db.executemany("INSERT INTO staged VALUES (?, ?, ?)", names)


def _row(item: WikidataItem) -> tuple[int, str, str, str, str, int]:
    aliases, types = json.dumps(item.aliases, ensure_ascii=False), json.dumps(item.types)
    return item.number, item.label, item.description, aliases, types, item.sitelinks


def _names(item: WikidataItem) -> list[tuple[str, int, int]]:
    labels = [(item.label, LABEL), *((alias, ALIAS) for alias in item.aliases)]
    named = [(form, item.number, how) for label, how in labels if len(label) <= MAX_NAME and (form := folded(label))]
    return [*named, *((short, item.number, INITIALS) for short in {initials(label) for label, _ in labels} if short)]
