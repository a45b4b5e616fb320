"""The main path, top to bottom: load → chunk → extract → link → write → embed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from itertools import groupby
from typing import Protocol

from pydantic import ConfigDict, Field

from kgservice import keys
from kgservice.chunking import check_chunking, chunks
from kgservice.embedding import Embedder, check_model, embed_chunks
from kgservice.extraction.given import place
from kgservice.extraction.tables import table_triplets
from kgservice.graph.rows import Rows
from kgservice.graph.store import Graph
from kgservice.journal import Journal
from kgservice.linking.resolve import check_mode, link
from kgservice.model import Document, Problem, Record, StatedChunk, StatedDocument, Totals, Version

EXTRACTION = "given+tables 1"  # part of every content hash: another extraction reads every document again
BATCH_DOCUMENTS, BATCH_WEIGHT = 500, 2_000_000  # a transaction: documents, and characters of text and triplets

Advance = Callable[[str, int], None]
Ready = tuple[StatedDocument, list[Problem]]  # a document to write, and those of its triplets that did not get in


class Recipe(Record):
    """How documents are read; a document read by another recipe counts as changed."""

    chunking: str = "rare"
    link: str = "none"
    since: date | None = None

    def name(self) -> str:
        """Return the recipe as one string, the part that decides what a document becomes."""
        return f"{EXTRACTION}; chunking {self.chunking}; link {self.link}"


def check_recipe(recipe: Recipe) -> None:
    """Refuse a recipe that cannot be followed (BadRequest)."""
    check_chunking(recipe.chunking)
    check_mode(recipe.link)


class DocumentCounts(Record):
    """Where the documents went: in = stored + unchanged + all rejected + all failed."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    given: int = Field(alias="in")
    stored: int
    unchanged: int
    rejected: dict[str, int]
    failed: dict[str, int]


class TripletCounts(Record):
    """Where the triplets of the stored documents went: in = kept + all rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    given: int = Field(alias="in")
    kept: int
    rejected: dict[str, int]


class LoadReport(Record):
    """What a load did; chunks are those of the stored documents, facts and entities the corpus's totals after it."""

    documents: DocumentCounts
    chunks: int
    triplets: TripletCounts
    facts: int
    entities: int
    seconds: float


class Writer(Protocol):
    """Where stated documents go: the graph, or the files of a bulk import."""

    def versions(self, corpus: str, sources: list[str]) -> dict[str, Version]: ...
    def prepare_rows(self, corpus: str, batch: list[StatedDocument]) -> Rows: ...
    def write(self, rows: Rows) -> None: ...


class Tally:
    """Counts as a load goes on; becomes the LoadReport."""

    def __init__(self, journal: Journal) -> None:
        self.states: Counter[str] = Counter()
        self.rejected: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.triplets: Counter[str] = Counter()
        self.rejected_triplets: Counter[str] = Counter()
        self.chunks = 0
        self._journal = journal
        self._started = time.monotonic()

    def problem(self, problem: Problem) -> None:
        """Count a document that did not get in."""
        self.states["in"] += 1
        (self.rejected if problem.state == "rejected" else self.failed)[problem.reason] += 1
        self._journal.problem(problem)

    def stored(self, written: list[Ready]) -> None:
        """Count written documents, their chunks and their triplets."""
        for stated, problems in written:
            self.states.update(("in", "stored"))
            self.chunks += len(stated.chunks)
            kept = sum(len(item.statements) for item in stated.chunks)
            self.triplets.update({"in": kept + len(problems), "kept": kept})
            for problem in problems:
                self.rejected_triplets[problem.reason] += 1
                self._journal.problem(problem, item="triplet")

    def report(self, totals: Totals) -> LoadReport:
        """Return the counts with the corpus's totals."""
        return LoadReport(
            documents=DocumentCounts(
                given=self.states["in"],
                stored=self.states["stored"],
                unchanged=self.states["unchanged"],
                rejected=dict(sorted(self.rejected.items())),
                failed=dict(sorted(self.failed.items())),
            ),
            chunks=self.chunks,
            triplets=TripletCounts(
                given=self.triplets["in"],
                kept=self.triplets["kept"],
                rejected=dict(sorted(self.rejected_triplets.items())),
            ),
            facts=totals.facts,
            entities=totals.entities,
            seconds=round(time.monotonic() - self._started, 2),
        )


def load(
    graph: Graph,
    found: Iterable[Document | Problem],
    corpus: str,
    recipe: Recipe,
    embedder: Embedder | None,
    journal: Journal,
    advance: Advance = lambda stage, count: None,
) -> LoadReport:
    """Load documents into a corpus; each ends stored, unchanged, rejected or failed. `embedder` None: no vectors.

    `advance(stage, count)` is told of progress in the stages "documents" and "vectors".
    """
    check_recipe(recipe)
    if embedder is not None and graph.read("read/embedding_model"):
        check_model(graph, embedder)
    tally = Tally(journal)
    write_all(graph, found, corpus, recipe, tally, advance)
    if embedder is not None:
        embed_chunks(graph, corpus, embedder, lambda count: advance("vectors", count))
    graph.command("write/await_chunk_text")
    report = tally.report(graph.totals(corpus))
    journal.finish(report)
    return report


def write_all(
    writer: Writer, found: Iterable[Document | Problem], corpus: str, recipe: Recipe, tally: Tally, advance: Advance
) -> None:
    """Read, state and write documents batch by batch; memory holds two batches whatever the corpus's size.

    While the database writes one batch, the next is read.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        writing: Future[list[Ready]] = pool.submit(list)
        for batch in _batches(_admitted(found, recipe, tally)):
            ready = _ready(writer, batch, corpus, recipe, tally)
            rows = writer.prepare_rows(corpus, [stated for stated, _ in ready])
            tally.stored(writing.result())
            writing = pool.submit(_written, writer, rows, ready)
            advance("documents", len(batch))
        tally.stored(writing.result())


def _ready(writer: Writer, batch: list[Document], corpus: str, recipe: Recipe, tally: Tally) -> list[Ready]:
    """Return the batch's new and changed documents ready to be written; count the others."""
    stored = writer.versions(corpus, [document.source for document in batch])
    ready: list[Ready] = []
    for document in batch:
        content_hash = keys.digest(20, document.model_dump(mode="json"), recipe.name())
        known = stored.get(document.source)
        if known and known.content_hash == content_hash:
            tally.states.update(("in", "unchanged"))
            continue
        outcome = _older(document, known) or _stated(document, content_hash, recipe)
        if isinstance(outcome, Problem):
            tally.problem(outcome)
        else:
            ready.append(outcome)
    return ready


def _written(writer: Writer, rows: Rows, ready: list[Ready]) -> list[Ready]:
    if ready:
        writer.write(rows)
    return ready


def _admitted(found: Iterable[Document | Problem], recipe: Recipe, tally: Tally) -> Iterator[Document]:
    """Let through each document once, by source and date; count everything else."""
    seen: set[str] = set()
    for item in found:
        if isinstance(item, Problem):
            tally.problem(item)
        elif (name := keys.digest(14, item.source)) in seen:
            detail = "another document of this load has the same name; give them ids, or load their common folder"
            tally.problem(Problem(source=item.source, state="rejected", reason="duplicate id", detail=detail))
        elif recipe.since and (item.published is None or item.published < recipe.since):
            reason = "no date" if item.published is None else "older than --since"
            tally.problem(Problem(source=item.source, state="rejected", reason=reason, detail=str(item.published)))
        else:
            seen.add(name)
            yield item


def _batches(documents: Iterator[Document]) -> Iterator[list[Document]]:
    def numbered() -> Iterator[tuple[int, Document]]:
        batch = count = weight = 0
        for document in documents:
            own = len(document.text) + 200 * len(document.triplets or ())
            if count and (count >= BATCH_DOCUMENTS or weight + own > BATCH_WEIGHT):
                batch, count, weight = batch + 1, 0, 0
            count, weight = count + 1, weight + own
            yield batch, document

    for _, group in groupby(numbered(), key=lambda item: item[0]):
        yield [document for _, document in group]


def _older(document: Document, known: Version | None) -> Problem | None:
    if not known or not known.published or not document.published or document.published >= known.published:
        return None
    detail = f"published {document.published}; the version of {known.published} is stored and stays"
    return Problem(source=document.source, state="rejected", reason="older version", detail=detail)


def _stated(document: Document, content_hash: str, recipe: Recipe) -> Ready | Problem:
    """Chunk, extract and link one document; whatever goes wrong with it is its own failure, not the load's."""
    try:
        cut = chunks(document, recipe.chunking)
        given = place(document, cut) if document.triplets is not None else None
        problems, stated, read = list(document.malformed), [], len(document.triplets or ())
        for index, chunk in enumerate(cut):
            from_table, left = table_triplets(chunk, document) if chunk.contains_table else ([], [])
            problems += left
            read += len(from_table)
            triplets = dict.fromkeys([*(given[index] if given is not None else ()), *from_table])
            extracted = given is not None or chunk.kind == "table"
            stated.append(StatedChunk(chunk=chunk, extracted=extracted, statements=link(triplets)))
        repeated = read - sum(len(item.statements) for item in stated)
        problems += [Problem(source=document.source, state="rejected", reason="stated twice")] * repeated
        return (
            StatedDocument(document=document, content_hash=content_hash, recipe=recipe.name(), chunks=tuple(stated)),
            problems,
        )
    except Exception as error:  # noqa: BLE001 - one document's failure must not end the load; it is counted and named
        detail = f"{type(error).__name__}: {error}"
        return Problem(source=document.source, state="failed", reason="could not be read", detail=detail)
