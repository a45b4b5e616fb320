"""`load --bulk`: the same graph through the server's import tool, for an empty managed database.

Rows are made as for any load. Those that nothing is counted of are written at once to the CSV files that the import
tool reads, the others are gathered in a SQLite file (so memory does not grow with the corpus) and counted there.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from datetime import date
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from filelock import FileLock, Timeout

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.pools import ProcessPool
from kgservice.core.records import Document, Entity, Problem, StatedDocument, Version
from kgservice.core.settings import Settings
from kgservice.core.storage import new_folder
from kgservice.extraction.extractor import Extractor
from kgservice.graph.labels import class_and_label, corpus_label, telling
from kgservice.graph.rows import Row, Rows, columns, entity_row, unmerged_rows
from kgservice.graph.store import Graph
from kgservice.ingest.admission import admitted, batches
from kgservice.ingest.load_report import LoadCounts, LoadReport
from kgservice.ingest.pipeline import Advance, Recipe, check_recipe, finished, names_written, reported, write_all
from kgservice.llm.client import LLM
from kgservice.managed_neo4j.backup import Table, bulk_import
from kgservice.managed_neo4j.folder import locked
from kgservice.resolution.letter_case import merge_letter_case
from kgservice.vectors.embedder import Embedder, embed_chunks

if TYPE_CHECKING:
    from kgservice.linking.linker import WikidataLinker

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
GATHERED = ("documents", "entities", "typed", "read_facts", "statements")  # tables that processes gather
ALONE = 20  # batches after which processes are worth their start
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
CREATE TABLE read_facts (key TEXT, sr TEXT, ro TEXT, relation TEXT, label TEXT, period TEXT, novel INTEGER);
CREATE TABLE statements (sr TEXT, fact TEXT, chunk TEXT, sentence TEXT, cell TEXT, written TEXT, said TEXT,
  confidence REAL);
"""
# Facts come in no order of their keys: to sort a million once costs a third of keeping an index of them. Neo4j stores
# them in the order of the file: those of a subject are read together, so they are next to each other. The first 20
# characters of a group's key are its entity's (keys.KEY). Entities are put together at the end, once each, as a name
# comes in many batches.
COUNTS = """
CREATE TABLE facts AS SELECT substr(sr, 1, 20) AS subject, substr(ro, 1, 20) AS object, *, min(rowid) AS first
  FROM read_facts GROUP BY sr, key ORDER BY sr, key;
DROP TABLE read_facts;
CREATE TABLE objects AS SELECT sr, count(*) AS number FROM facts GROUP BY sr;
CREATE UNIQUE INDEX objects_sr ON objects (sr);
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


def bulk_load(
    graph: Graph,
    settings: Settings,
    found: Iterable[Document | Problem],
    corpus: str,
    recipe: Recipe,
    embedder: Embedder | None,
    journal: Journal,
    advance: Advance,
    llm: LLM | None = None,
    linker: WikidataLinker | None = None,
    extractor: Extractor | None = None,
) -> LoadReport:
    """Load into an empty managed database by its import tool; the graph is the one that a plain load makes.

    Raises BadRequest where the database is not ours to stop or holds something.
    """
    check_recipe(recipe)
    _check_bulk(graph, settings, recipe)
    graph.check_written(corpus)
    tally = LoadCounts(journal)
    with _own_folder(settings.home) as folder, Gathered(folder, corpus) as gathered:
        if recipe.extract == "none" and linker is None and extractor is None:
            _share(gathered, admitted(found, recipe.since, tally), corpus, recipe, tally, journal, advance)
        else:
            write_all(gathered, found, corpus, recipe, tally, advance, llm, linker, extractor)
        if not gathered.is_empty():
            _import(graph, settings, gathered, corpus)
            if recipe.link == "case":
                merge_letter_case(graph, corpus, gathered.names)
    if embedder is not None:
        embed_chunks(graph, corpus, embedder, lambda count: advance("vectors", count))
    report = reported(graph, found, corpus, recipe, tally, llm, linker)
    return finished(report, journal)


def _share(
    gathered: Gathered,
    found: Iterator[Document],
    corpus: str,
    recipe: Recipe,
    tally: LoadCounts,
    journal: Journal,
    advance: Advance,
) -> None:
    """Write documents that nothing is read of: the first batches here, the others in processes, one a core.

    Each process gathers its own rows, which are put together at the end; counts and journal come in the order of the
    documents. Raises BadRequest if a process dies.
    """
    waiting = deque[Future[_Share]]()

    def finish() -> None:
        share = waiting.popleft().result()
        tally.add(share.tally)
        for problem, item in share.journal.kept:
            journal.problem(problem, item=item)
        gathered.parts[share.folder] = gathered.parts.get(share.folder, 0) + share.tally.chunks
        gathered.names |= share.names
        number = share.tally.states["in"]
        advance("read", number)
        advance("documents", number)

    pool, most = ProcessPool(), 2 * (os.cpu_count() or 1)
    try:
        shares = batches(found)
        write_all(gathered, chain.from_iterable(islice(shares, ALONE)), corpus, recipe, tally, advance)
        for batch in shares:
            if len(waiting) == most:
                finish()
            waiting.append(pool.submit(_gather, str(gathered.folder), corpus, recipe, list(map(_sent, batch))))
        while waiting:
            finish()
    except BaseException as error:
        pool.close(at_once=True)
        if isinstance(error, BrokenProcessPool):
            detail = "a process of the load died, perhaps for want of memory: nothing was imported; load again"
            raise BadRequest(detail) from None
        raise
    pool.close()
    gathered.join()


class _Kept:
    """A journal that keeps what is written to it."""

    def __init__(self) -> None:
        self.kept: list[tuple[Problem, str]] = []

    def problem(self, problem: Problem, *, item: str = "document") -> None:
        self.kept.append((problem, item))


class _Share(NamedTuple):
    """What a process made of a batch: the counts, the journal and new names; its rows are in its folder."""

    folder: str
    tally: LoadCounts
    journal: _Kept
    names: set[str]


_own: dict[str, Gathered] = {}  # the rows that this process gathers, by the folder of the load


def _gather(folder: str, corpus: str, recipe: Recipe, sent: list[str | Document]) -> _Share:
    """Gather the rows of a batch in a folder of this process."""
    if folder not in _own:
        part = Path(folder) / f"part-{os.getpid()}"
        part.mkdir()
        _own[folder] = Gathered(part, corpus).__enter__()
    gathered, journal = _own[folder], _Kept()
    tally = LoadCounts(journal)  # type: ignore[arg-type] # it keeps what a journal writes
    documents = (one if isinstance(one, Document) else Document.model_validate_json(one) for one in sent)
    write_all(gathered, documents, corpus, recipe, tally, lambda *_: None)
    names, gathered.names = gathered.names, set()
    gathered.flush()
    return _Share(str(gathered.folder), tally, journal, names)


def _sent(document: Document) -> str | Document:
    """Return a document as JSON, which takes a fifth of the time, or itself if JSON would not keep all of it."""
    whole = not document.stated and not any(isinstance(value, float) for value in document.metadata.values())
    given = document.triplets or ()
    if whole and all(
        one.doubted is one.subject.value is one.object.value is None and one.confidence == 1 for one in given
    ):
        with suppress(ValueError):  # half a surrogate pair
            return document.model_dump_json()
    return document


def _import(graph: Graph, settings: Settings, gathered: Gathered, corpus: str) -> None:
    """Put the gathered rows in place of the empty database, then give the documents what they were read from.

    A load that is killed in between leaves documents without a content hash, which the next load reads anew.
    """
    nodes, relationships = gathered.tables()
    with locked(settings.home):
        _check_empty(graph, "something was written to it while this load read: nothing was imported")
        bulk_import(
            settings.home, settings.cache, nodes, relationships,
            version=settings.neo4j_version, bolt_port=settings.neo4j_bolt_port, http_port=settings.neo4j_http_port,
            heap=settings.neo4j_heap, pagecache=settings.neo4j_pagecache,
        )  # fmt: skip
    index = graph.text_index(corpus)
    graph.update("write/lock_corpus", corpus=corpus, code=keys.corpus_code(corpus), text_index=index)
    graph.prepare()
    for rows in gathered.documents():
        graph.update("write/lock_corpus", corpus=corpus, code=keys.corpus_code(corpus), text_index=index)
        graph.update("write/documents", rows=rows)


def _check_bulk(graph: Graph, settings: Settings, recipe: Recipe) -> None:
    if settings.neo4j_uri:
        raise BadRequest(
            "--bulk stops the server for the import: it works for the managed Neo4j, without KGS_NEO4J_URI"
        )
    if recipe.link == "resolve":
        raise BadRequest("--bulk writes names as they are: load without --link, then `kgservice entities resolve`")
    _check_empty(graph, "this one holds something")


def _check_empty(graph: Graph, reason: str) -> None:
    if graph.read("read/anything"):
        raise BadRequest(f"--bulk fills an empty database and {reason}: load without --bulk")


@contextmanager
def _own_folder(home: Path) -> Iterator[Path]:
    """Yield a new folder in the data folder, one bulk load at a time; remove what killed ones left there.

    Raises BadRequest if another bulk load runs.
    """
    try:
        with FileLock(home / "bulk.lock", timeout=0), new_folder(home, "bulk-") as folder:
            yield folder
    except Timeout:
        raise BadRequest("another load --bulk fills this database: wait for it, then load without --bulk") from None


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
        run(
            "INSERT INTO read_facts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (_OF_FACT(r["properties"]) for r in rows.facts.values()),
        )
        groups = ((key, rows.facts[key]["properties"]["sr"], several) for key, several in rows.statements.items())
        stated = ((group, key, *one) for key, group, several in groups for one in several)
        run("INSERT INTO statements VALUES (?, ?, ?, ?, ?, ?, ?, ?)", stated)
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
        query = (
            "SELECT f.subject, f.object, o.number, s.number, f.relation, f.key, f.sr, f.ro, f.label, f.period, f.novel "
            "FROM facts f JOIN objects o ON o.sr = f.sr JOIN subjects s ON s.ro = f.ro ORDER BY f.rowid"
        )
        statements = self._db.execute("SELECT * FROM statements ORDER BY sr, fact")
        stated = groupby(statements, itemgetter(1))
        for (start, end, objects, subjects, relation, key, sr, ro, label, period, novel), (_, rows) in zip(
            self._db.execute(query), stated, strict=True
        ):
            own = columns({one[2:] for one in rows})
            lists = (own[name] for name in ("sentences", "cells", "written", "said", "confidence"))
            new = None if novel is None else bool(novel)
            first = f'"{start}","{end}","{objects}","{subjects}",{_field(relation)},{_field(own["chunks"])}'
            yield f'{first},"{key}","{sr}","{ro}",{_line((label, period, *lists, new))}'

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
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if '"' in value else f'"{value}"'
    if isinstance(value, bool):
        return '"true"' if value else '"false"'
    if isinstance(value, list):
        joined = LISTS.join(parts := list(map(str, value)))
        if joined.count(LISTS) >= max(len(parts), 1):
            raise BadRequest("a sentence holds the control character U+001F: load this corpus without --bulk")
        return _field(joined)
    return f'"{value}"'


def _text(properties: Row) -> str:
    return json.dumps(properties, ensure_ascii=False, default=str)


def _dated(properties: Row) -> Row:
    published = properties["published"]
    return properties | {"published": date.fromisoformat(published) if published else None}


def _mention_line(row: Row) -> str:
    surface, type_, start, end = row["surface"], row["type"], row["start"], row["end"]
    place = f'"{start}","{end}"' if start is not None else ","
    return f'"{row["chunk"]}","{row["entity"]}",{_field(surface)},{place},{_field(type_)}\n'


def _entity_row(key: str, entity: Entity) -> tuple[object, ...]:
    known = vars(entity)
    return key, *_OF_ENTITY(known), json.dumps(known["aliases"], ensure_ascii=False) if known["aliases"] else "[]"


OF_ENTITY = ("id", "label", "kind", "value", "unit", "description", "aliases")
_OF_ENTITY = itemgetter(*OF_ENTITY[:-1])
_OF_NAMED = itemgetter(*NAMED, "value")
_OF_FACT = itemgetter("key", "sr", "ro", "relation", "label", "period", "novel")
