"""The files that Neo4j's import tool reads, made of a whole load's rows.

Rows that nothing is counted of are written at once to CSV files, the others are gathered in a SQLite file (so memory
does not grow with the corpus) and counted there.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Entity, StatedDocument, Version
from kgservice.graph.labels import class_and_label, corpus_label, telling
from kgservice.graph.rows import Row, Rows, Stated, columns, entity_row, unmerged_rows
from kgservice.ingest.pipeline import names_written
from kgservice.managed_neo4j.backup import Table

LISTS = "\x1f"  # separates the items of a list in a CSV field
STRINGS, WHOLE, FLAGS, STRING_LISTS, NUMBER_LISTS = "string", "long", "boolean", "string[]", "double[]"
CORPUS = {
    "code": STRINGS,
    "documents": WHOLE,
    "chunks": WHOLE,
    "facts": WHOLE,
    "entities": WHOLE,
    "mention_types": FLAGS,
}
GATHERED = ("documents", "entities", "typed", "stated")  # tables that processes gather
KNOWN = 300_000  # keys of entities that are kept in memory, so that those of hubs are gathered once
DOCUMENT = {"corpus": STRINGS, "source": STRINGS, "content_hash": STRINGS, "version": WHOLE, "state": STRINGS}
CHUNK = {
    "corpus": STRINGS, "corpus_code": STRINGS, "title": STRINGS, "content_hash": STRINGS, "section": STRINGS,
    "text": STRINGS, "kind": STRINGS, "contains_table": FLAGS, "extracted": FLAGS, "index": WHOLE, "page": WHOLE,
    "start": WHOLE, "end": WHOLE, "tokens": WHOLE, "fact_keys": STRING_LISTS, "published": "date",
}  # fmt: skip
COUNTED = {"degree": WHOLE, "type": STRINGS, "classes": STRING_LISTS, "class_passages": "long[]"}
NAMED = {"label": STRINGS, "kind": STRINGS, "corpus": STRINGS, "id": STRINGS, "unit": STRINGS, "form": STRINGS,
         "bracketed": STRINGS, "description": STRINGS, "aliases": STRING_LISTS}  # fmt: skip
ENTITY = COUNTED | NAMED
MENTION = {"surface": STRINGS, "start": WHOLE, "end": WHOLE, "type": STRINGS}
FACT = {  # stored in this order, read from the front: first what a pattern asks of every fact
    "objects": WHOLE, "subjects": WHOLE, "relation": STRINGS, "chunks": STRING_LISTS, "key": STRINGS, "sr": STRINGS,
    "ro": STRINGS, "label": STRINGS, "period": STRINGS, "sentences": STRING_LISTS, "cells": STRING_LISTS,
    "written": STRING_LISTS, "said": STRING_LISTS, "confidence": NUMBER_LISTS, "novel": FLAGS,
}  # fmt: skip
TABLES = """
CREATE TABLE documents (key TEXT, source TEXT, properties TEXT);
CREATE TABLE entities (key TEXT, id TEXT, label TEXT, kind TEXT, value, unit TEXT, description TEXT, aliases TEXT);
CREATE TABLE telling (relation TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE typed (entity TEXT, type TEXT);
CREATE TABLE stated (key TEXT, sr TEXT, ro TEXT, relation TEXT, fields TEXT);
"""
# Facts come in no order of their keys: to sort a million once costs a third of keeping an index of them. Neo4j stores
# them in the order of the file: those of a subject are read together, so they are next to each other. The first 20
# characters of a group's key are its entity's (keys.KEY). Entities are put together at the end, once each, as a name
# comes in many batches.
COUNTS = """
CREATE TABLE facts AS SELECT substr(sr, 1, 20) AS subject, substr(ro, 1, 20) AS object, *, min(rowid) AS first,
    count(*) AS times FROM stated GROUP BY sr, key ORDER BY sr, key;
CREATE TABLE repeated (key TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO repeated SELECT key FROM facts WHERE times > 1;
CREATE TABLE statements AS SELECT key, fields FROM stated WHERE key IN repeated ORDER BY sr, key, rowid;
DROP TABLE stated;
CREATE TABLE subjects AS SELECT ro, count(*) AS number FROM facts GROUP BY ro;
CREATE UNIQUE INDEX subjects_ro ON subjects (ro);
CREATE TABLE degrees AS SELECT entity, count(*) AS number
  FROM (SELECT subject AS entity FROM facts UNION ALL SELECT object FROM facts) GROUP BY entity;
CREATE UNIQUE INDEX degrees_entity ON degrees (entity);
CREATE TABLE classes AS SELECT entity, json_group_object(type, passages) AS given
  FROM (SELECT entity, type, count(*) AS passages FROM typed GROUP BY entity, type)
  GROUP BY entity;
CREATE UNIQUE INDEX classes_entity ON classes (entity);
CREATE TABLE asked (entity TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT OR IGNORE INTO asked SELECT subject FROM facts WHERE relation IN telling
  UNION ALL SELECT object FROM facts WHERE relation IN telling;
CREATE TABLE told AS SELECT entity, json_group_array(relation) FILTER (WHERE own) AS outgoing,
    json_group_array(relation) FILTER (WHERE NOT own) AS incoming
  FROM (SELECT subject AS entity, relation, 1 AS own,
      row_number() OVER (PARTITION BY subject ORDER BY sr) AS place FROM facts WHERE subject IN asked
    UNION ALL SELECT object, relation, 0,
      row_number() OVER (PARTITION BY object ORDER BY ro) FROM facts WHERE object IN asked)
  WHERE place <= 50 AND relation IN telling GROUP BY entity; -- as in read/relations_at
CREATE UNIQUE INDEX told_entity ON told (entity);
"""


class Gathered:
    """The rows of a whole load in a SQLite file; a Writer for kgservice.ingest.pipeline.write_all."""

    def __init__(self, folder: Path, corpus: str) -> None:
        self.folder, self._corpus, self._chunks = folder, corpus, 0
        self.parts = dict[str, int]()  # by folder of other processes that gather for this load: their chunks
        self.names = set[str]()  # of texts, for the merge of those that differ in letter case alone
        self._known = set[str]()  # entities that are gathered
        self._db = sqlite3.connect(folder / "rows.sqlite", check_same_thread=False)  # the writing thread's, in turn
        ends = ":START_ID({0}),:END_ID({1})".format
        self._chunk = self._opened("chunks", "key:ID(Chunk)", CHUNK)
        self._part_of = self._opened("part_of", ends("Chunk", "Document"), {})
        self._next = self._opened("next", ends("Chunk", "Chunk"), {})
        self._mention = self._opened("mentions", ends("Chunk", "Entity"), MENTION)
        self._files = self._chunk, self._part_of, self._next, self._mention

    def __enter__(self) -> Gathered:
        self._db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;" + TABLES)
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()
        for file in self._files:
            file.close()

    def versions(self, corpus: str, sources: Sequence[str]) -> dict[str, Version]:
        """Return nothing: the database is empty, and a load lets each document through once."""
        return {}

    def prepare_rows(self, corpus: str, batch: Sequence[StatedDocument]) -> Rows:
        """Make the rows of a batch."""
        return unmerged_rows(corpus, batch, {})

    def write(self, rows: Rows) -> None:
        """Gather the rows of a batch."""
        self.names.update(names_written(rows, given=False))
        run, own = self._db.executemany, itemgetter(*CHUNK)
        documents = ((r["key"], r["properties"]["source"], _text(r["properties"])) for r in rows.documents)
        run("INSERT INTO documents VALUES (?, ?, ?)", documents)
        self._chunk.writelines(_line((r["key"], *own(r["properties"]))) for r in rows.chunks)
        self._part_of.writelines(f'"{r["key"]}","{r["document"]}"\n' for r in rows.chunks)
        self._next.writelines(f'"{r["key"]}","{r["next"]}"\n' for r in rows.following)
        self._mention.writelines(map(_mention_line, rows.mentions))
        typed = ((r["entity"], r["type"]) for r in rows.mentions if r["type"] is not None)
        run("INSERT INTO typed VALUES (?, ?)", typed)
        self._chunks += len(rows.chunks)
        new = rows.named.keys() - self._known
        run("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (_entity_row(key, rows.named[key]) for key in new))
        if len(self._known) > KNOWN:
            self._known.clear()
        self._known |= new
        facts = ((row["properties"], rows.statements[key]) for key, row in rows.facts.items())
        stated = ((*_OF_FACT(fact), _fact_fields(fact, [one])) for fact, several in facts for one in several)
        run("INSERT INTO stated VALUES (?, ?, ?, ?, ?)", stated)
        self._db.commit()

    def flush(self) -> None:
        """Have everything in the files."""
        for file in self._files:
            file.flush()

    def join(self) -> None:
        """Take in the rows of the other processes, which have ended."""
        for part in self.parts:
            self._db.execute("ATTACH ? AS part", (str(Path(part) / "rows.sqlite"),))
            for table in GATHERED:
                self._db.execute(f"INSERT INTO {table} SELECT * FROM part.{table}")  # noqa: S608
            self._db.commit()
            self._db.execute("DETACH part")

    def is_empty(self) -> bool:
        """Return whether no document was gathered."""
        return self._db.execute("SELECT 1 FROM documents LIMIT 1").fetchone() is None

    def documents(self) -> Iterator[list[Row]]:
        """Yield the documents' rows in batches for write/documents; dates come back as dates."""
        cursor = self._db.execute("SELECT key, properties FROM documents")
        while rows := cursor.fetchmany(2_000):
            yield [{"key": key, "properties": _dated(json.loads(properties))} for key, properties in rows]

    def tables(self) -> tuple[list[Table], list[Table]]:
        """Write the CSV files; return those of nodes and of relationships, as the import tool wants them."""
        for file in self._files:
            file.close()
        self._db.executemany("INSERT INTO telling VALUES (?)", ((relation,) for relation in telling()))
        self._db.executescript(COUNTS)
        nodes: list[Table] = [
            ("Corpus", [self._csv("corpus", "name:ID(Corpus)", CORPUS, [_line(self._totals())])]),
            ("Document", [self._csv("documents", "key:ID(Document)", DOCUMENT, map(_line, self._hashless()))]),
            *self._written(f"Chunk:{corpus_label(self._corpus)}", "chunks"),
            *(("Entity", [file]) for file in self._entities()),
        ]
        facts = self._csv("facts", ":START_ID(Entity),:END_ID(Entity)", FACT, self._facts())
        relationships: list[Table] = [
            *self._written("PART_OF", "part_of"),
            *self._written("NEXT", "next"),
            *self._written("MENTIONS", "mentions"),
            ("FACT", [facts]),
        ]
        return nodes, relationships

    def _totals(self) -> list[object]:
        """Return the corpus's row: name, code, what it holds (read/counted_totals), and that mentions have classes."""
        tables = ("documents", "facts", "degrees")
        count = [self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]  # noqa: S608
        return [
            self._corpus,
            keys.corpus_code(self._corpus),
            count[0],
            self._chunks + sum(self.parts.values()),
            *count[1:],
            True,
        ]

    def _hashless(self) -> Iterator[list[object]]:
        """Yield the documents as if their removal was interrupted: a load that finds them reads them anew."""
        for key, source in self._db.execute("SELECT key, source FROM documents"):
            yield [key, self._corpus, source, "", 0, "stored"]

    def _entities(self) -> list[Path]:
        """Write the entities, those whose value is a number to a file of their own; return the two files."""
        query = (
            f"SELECT key, {', '.join(OF_ENTITY)}, given, number, outgoing, incoming "  # noqa: S608
            "FROM (SELECT *, min(rowid) FROM entities GROUP BY key) LEFT JOIN classes ON classes.entity = key "
            "LEFT JOIN degrees ON degrees.entity = key LEFT JOIN told ON told.entity = key"
        )
        files, first = {"entities": STRINGS, "numbers": "double"}, "key:ID(Entity)"
        with ExitStack() as stack:
            named, numbers = (
                stack.enter_context(self._opened(name, first, ENTITY | {"value": kind, "": "LABEL"}))
                for name, kind in files.items()
            )
            for key, *known, classes, degree, outgoing, incoming in self._db.execute(query):
                entity = dict(zip(OF_ENTITY, known, strict=True))
                entity["aliases"] = json.loads(entity["aliases"])
                type_ = label = given = None
                if classes or outgoing or incoming:
                    given = dict(sorted(json.loads(classes).items())) if classes else {}
                    sides = (json.loads(side) if side else [] for side in (outgoing, incoming))
                    type_, label = class_and_label(entity["kind"], given, *sides)
                passages = list(given.values()) if given else None
                own = _OF_NAMED(entity_row(self._corpus, key, entity)["properties"])
                line = _line((key, degree or 0, type_, list(given) if given else None, passages, *own, label))
                (numbers if isinstance(entity["value"], float) else named).write(line)
        return [self._path(name) for name in files]

    def _facts(self) -> Iterator[str]:
        query = "SELECT sr, f.ro, s.number, times, fields FROM facts f JOIN subjects s ON s.ro = f.ro ORDER BY f.rowid"
        several = groupby(self._db.execute("SELECT key, fields FROM statements ORDER BY rowid"), itemgetter(0))
        for sr, group in groupby(self._db.execute(query), itemgetter(0)):
            facts = list(group)
            for _, ro, subjects, times, fields in facts:
                own = fields if times == 1 else _merged([one for _, one in next(several)[1]])
                yield f'"{sr[: keys.KEY]}","{ro[: keys.KEY]}","{len(facts)}","{subjects}",{own}\n'

    def _csv(self, name: str, first: str, columns: dict[str, str], lines: Iterable[str]) -> Path:
        with self._opened(name, first, columns) as out:
            out.writelines(lines)
        return self._path(name)

    def _opened(self, name: str, first: str, columns: dict[str, str]) -> TextIO:
        """Return a new CSV file, open, with its header."""
        out = self._path(name).open("w", encoding="utf-8", newline="")
        out.write(",".join([first, *(f"{column}:{kind}" for column, kind in columns.items())]) + "\n")
        return out

    def _written(self, kind: str, name: str) -> list[Table]:
        """Return the files of a table that was written as rows came, of each process one."""
        return [(kind, [self._path(name)]), *((kind, [Path(part) / f"{name}.csv"]) for part in self.parts)]

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.csv"


def _line(row: Iterable[object]) -> str:
    """Return a line: nothing for None, else quoted, so that an empty string stays one."""
    return ",".join(map(_field, row)) + "\n"


def _field(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if '"' in value else f'"{value}"'
    if value is None:
        return ""
    if isinstance(value, list):
        joined = LISTS.join(map(str, value)) if len(value) != 1 else str(value[0])
        if joined.count(LISTS) >= max(len(value), 1):
            raise BadRequest("a sentence holds the control character U+001F: load this corpus without --bulk")
        return _field(joined)
    if isinstance(value, bool):
        return '"true"' if value else '"false"'
    return f'"{value}"'


def _fact_fields(fact: Row, statements: Iterable[Stated]) -> str:
    """Return the fields of a fact behind its counters, in the order of FACT."""
    own = columns(statements)
    chunks, key, sr, ro = LISTS.join(own["chunks"]), fact["key"], fact["sr"], fact["ro"]
    more = map(_field, (fact["label"], fact["period"], *_OF_STATEMENTS(own), fact["novel"]))
    return f'{_field(fact["relation"])},"{chunks}","{key}","{sr}","{ro}",{",".join(more)}'


def _merged(lines: Sequence[str]) -> str:
    """Return the fields of a fact from those of each of its statements."""
    given = [[cell.replace('""', '"') for cell in _CELL.findall(fields)] for fields in lines]
    names = ("relation", "", "key", "sr", "ro", "label", "period", "", "", "", "", "", "novel")
    fact = {name: cell or None for name, cell in zip(names, given[0], strict=False)}
    statements = {(one[1], *one[7:11], float(one[11] or 1)) for one in given}
    return _fact_fields(fact | {"novel": _FLAG[given[0][12]]}, statements)


_FLAG = {"": None, "true": True, "false": False}
_CELL = re.compile(r'(?:"((?:[^"]+|"")*)")?(?:,|\Z)')
_text = json.JSONEncoder(ensure_ascii=False, default=str).encode


def _dated(properties: Row) -> Row:
    published = properties["published"]
    return properties | {"published": date.fromisoformat(published) if published else None}


def _mention_line(row: Row) -> str:
    start, end = row["start"], row["end"]
    place = f'"{start}","{end}"' if start is not None else ","
    return f'"{row["chunk"]}","{row["entity"]}",{_field(row["surface"])},{place},{_field(row["type"])}\n'


def _entity_row(key: str, entity: Entity) -> tuple[object, ...]:
    known = vars(entity)
    return key, *_OF_ENTITY(known), json.dumps(known["aliases"], ensure_ascii=False) if known["aliases"] else "[]"


OF_ENTITY = ("id", "label", "kind", "value", "unit", "description", "aliases")
_OF_ENTITY = itemgetter(*OF_ENTITY[:-1])
_OF_NAMED = itemgetter(*NAMED, "value")
_OF_STATEMENTS = itemgetter("sentences", "cells", "written", "said", "confidence")
_OF_FACT = itemgetter("key", "sr", "ro", "relation")
