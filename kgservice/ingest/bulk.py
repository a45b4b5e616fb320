"""`load --bulk`: the same graph through the server's import tool, for an empty managed database.

Rows are made as for any load, and gathered in files (import_files.py). Documents that nothing is read of are shared
among processes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.pools import ProcessPool
from kgservice.core.records import Document, Problem
from kgservice.core.settings import Settings
from kgservice.core.storage import new_folder
from kgservice.extraction.extractor import Extractor
from kgservice.graph.store import Graph
from kgservice.ingest.admission import admitted, batches
from kgservice.ingest.garbage import collecting_seldom
from kgservice.ingest.import_files import Gathered
from kgservice.ingest.load_report import LoadCounts, LoadReport
from kgservice.ingest.pipeline import (
    Advance,
    Recipe,
    check_recipe,
    finished,
    reported,
    write_all,
    write_unread,
)
from kgservice.llm.client import LLM
from kgservice.managed_neo4j.backup import bulk_import
from kgservice.managed_neo4j.folder import locked
from kgservice.resolution.letter_case import merge_letter_case
from kgservice.vectors.embedder import Embedder, embed_chunks

if TYPE_CHECKING:
    from kgservice.linking.linker import WikidataLinker

ALONE = 20  # batches after which processes are worth their start


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
            gather_unread(gathered, admitted(found, recipe.since, tally), corpus, recipe, tally, journal, advance)
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


def gather_unread(
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

    def told(number: int) -> None:
        advance("read", number)
        advance("documents", number)

    def finish() -> None:
        share = waiting.popleft().result()
        tally.add(share.tally)
        for problem, item in share.journal.kept:
            journal.problem(problem, item=item)
        gathered.parts[share.folder] = gathered.parts.get(share.folder, 0) + share.tally.chunks
        gathered.names |= share.names
        told(share.tally.states["in"])

    pool, most = ProcessPool(), 2 * (os.cpu_count() or 1)
    try:
        shares = batches(found)
        with collecting_seldom():
            for batch in islice(shares, ALONE):
                write_unread(gathered, batch, corpus, recipe, tally)
                told(len(batch))
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
    with collecting_seldom():
        documents = [one if isinstance(one, Document) else Document.model_validate_json(one) for one in sent]
        write_unread(gathered, documents, corpus, recipe, tally)
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
