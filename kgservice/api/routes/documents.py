"""/documents and /corpora: what is stored; loading is a job."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query, Request, Response
from pydantic import AliasChoices, ConfigDict, FailFast, Field

from kgservice.api.deps import After, CorpusName, Limit, TheCaller, TheGraph, TheJobs, queued
from kgservice.api.entry.access import Caller
from kgservice.api.job_records import Job
from kgservice.api.jobs import Jobs
from kgservice.api.listing import Page, page_of
from kgservice.api.model_orders import ModelOrder, check_asking, ordered_model
from kgservice.api.policy import TheSight, gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.api.sent_documents import EXAMPLE, GivenDocument, read
from kgservice.core import keys
from kgservice.core.errors import NotFound
from kgservice.core.journal import Journal
from kgservice.core.records import Day, Record, Scalar, Totals
from kgservice.core.settings import Settings
from kgservice.graph.filter_words import find_document
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.pipeline import Advance, Recipe, check_recipe, load
from kgservice.setup.connect import check_linker, linker

router = APIRouter(tags=["documents"], route_class=ReadingRoute)


class StoredDocument(Record):
    """A document as it is stored; `key` is its key in the graph, `source` the id that it was loaded by."""

    key: str
    corpus: str
    source: str
    title: str
    doc_type: str
    domain: str | None = None
    url: str | None = None
    published: date | None = None
    version: int
    state: str
    content_hash: str
    metadata: dict[str, Scalar]
    chunks: int


class StoredChunk(Record):
    """A chunk of a document; `extracted`: an extractor has read it."""

    key: str
    index: int
    kind: str
    section: str | None = None
    page: int | None = None
    tokens: int
    text: str
    extracted: bool


class WholeDocument(Record):
    """A document with its chunks, in their order."""

    document: StoredDocument
    chunks: tuple[StoredChunk, ...]


class CorpusTotals(Record):
    """What one corpus holds; facts and entities are null for a reader where the corpus has a release."""

    corpus: str
    documents: int
    chunks: int
    facts: int | None
    entities: int | None


class Corpora(Record):
    """The corpora in order of name."""

    items: tuple[CorpusTotals, ...]


class Delivery(ModelOrder):
    """Documents to load into a corpus. `chunking`: rare, page, chars:SIZE:OVERLAP or tokens:SIZE:OVERLAP; `extract`:
    read facts from plain text, by rules or by the service's language model (llm, llm:WINDOW) within a `budget`;
    `vectors`: for dense retrieval; `schema`: default or none, if left out, texts by default, triplets by none."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    documents: Annotated[list[GivenDocument], FailFast()] = Field(min_length=1, max_length=10_000)
    corpus: str = Field("default", min_length=1)
    chunking: str = "rare"
    extract: str = Field("rules+reader", pattern=r"^(rules|reader|rules\+reader|none|llm|llm:[1-9][0-9]?)$")
    link: Literal["none", "case", "resolve", "wikidata"] = "case"
    vectors: bool = True
    schema_name: Literal["", "default", "none"] = Field(
        "", validation_alias=AliasChoices("schema", "schema_name"), description="Of relations; files are not read here."
    )

    def asks(self) -> bool:
        """Say whether a language model is to read."""
        return self.extract.startswith("llm")


class Removed(Totals):
    """How many documents were removed, and what the corpus holds now."""

    removed: int


@router.get("/corpora", dependencies=[gives("texts")])
def list_corpora(graph: TheGraph, sight: TheSight) -> Corpora:
    """List the corpora with what each holds."""
    return Corpora(items=tuple(_totals(graph, name, hidden=not sight.sees("graph", name)) for name in graph.corpora()))


def _totals(graph: Graph, corpus: str, *, hidden: bool) -> CorpusTotals:
    known = graph.totals(corpus).model_dump() | (dict.fromkeys(("facts", "entities")) if hidden else {})
    return CorpusTotals(corpus=corpus, **known)


@router.get("/documents", dependencies=[gives("texts")])
def list_documents(
    graph: TheGraph, corpus: CorpusName = "default", after: After = "", limit: Limit = 50
) -> Page[StoredDocument]:
    """List the documents of a corpus in order of key."""
    graph.check_corpus(corpus)
    start, until = keys.cursor(corpus, after), keys.corpus_code(corpus) + "~"
    rows = graph.read("read/documents", after=start, until=until, limit=limit + 1)
    return page_of((_stored(row["document"], row["chunks"]) for row in rows), limit, "key")


@router.post("/documents", status_code=202, dependencies=[gives("orders")], openapi_extra=body_of(20 * MB))
def load_documents(
    delivery: Delivery, graph: TheGraph, jobs: TheJobs, caller: TheCaller, request: Request, response: Response
) -> Job:
    """Load documents in the background: follow the job at the Location. Loading again changes nothing.

    A service that is stopped goes on with a load when it starts again, but for one that a language model reads.
    """
    job = order(delivery, graph, jobs, caller, request.app.state.settings)
    return queued(job, request, response, documents=len(delivery.documents), extract=delivery.extract)


def order(delivery: Delivery, graph: Graph, jobs: Jobs, caller: Caller, settings: Settings) -> Job:
    """Queue a load. Raises BadRequest, NotFound or SettingsError for one that cannot be done."""
    check_recipe(Recipe(chunking=delivery.chunking, extract=delivery.extract, link=delivery.link))
    check_asking(settings, delivery, asks=delivery.asks())
    check_linker(settings, delivery.link)
    graph.check_written(delivery.corpus)
    return jobs.add("load", delivery.corpus, delivery, by=caller.owner, resumes=not delivery.asks())


def work(app: FastAPI, order: str, advance: Advance) -> LoadReport:
    """Load what a delivery holds."""
    delivery, state = Delivery.model_validate_json(order), app.state
    home = state.settings.home
    with Journal(home, "load", delivery.corpus) as journal, linker(state.settings, delivery.link) as linking:
        llm = ordered_model(state.settings, journal, delivery) if delivery.asks() else None
        named = {"extract": delivery.extract, "model": llm.model if llm else "", "schema_name": delivery.schema_name}
        recipe = Recipe(chunking=delivery.chunking, link=delivery.link, **named)
        embedder = state.embedder if delivery.vectors else None
        found = read(delivery.documents)
        return load(state.job_graph, found, delivery.corpus, recipe, embedder, journal, advance, llm, linker=linking)


Named = Annotated[str | None, Query(min_length=1, description="Needed where the document's id is given, not its key.")]


@router.get("/documents/{name:path}", dependencies=[gives("texts")])
def get_document(name: str, graph: TheGraph, corpus: Named = None) -> WholeDocument:
    """Return a document with its chunks, by its key, or by the id it was loaded by and its corpus."""
    key, holder = find_document(graph, name, corpus)
    rows = graph.read("read/document", corpus=holder, key=key)
    if not rows:
        raise NotFound(f"document {name!r} has just been removed")
    row = rows[0]
    chunks = tuple(StoredChunk(**chunk) for chunk in row["chunks"])
    return WholeDocument(document=_stored(row["document"], len(chunks)), chunks=chunks)


@router.delete("/documents/{name:path}", dependencies=[gives("orders")])
def remove_document(
    name: str,
    graph: TheGraph,
    corpus: Named = None,
    on: Annotated[Day | None, Query(description="The day until which it was said, for as_of; today.")] = None,
    forget: Annotated[bool, Query(description="Keep nothing that it said, of former versions neither.")] = False,
) -> Removed:
    """Remove a document with what only it stated; what others state too stays."""
    key, holder = find_document(graph, name, corpus, removed=forget)
    if not (removed := graph.remove(holder, [key], on, forget=forget)):
        raise NotFound(f"document {name!r} has just been removed")
    return Removed(removed=removed, **graph.totals(holder).model_dump())


def _stored(properties: dict[str, Any], chunks: int) -> StoredDocument:
    known = {name: value for name, value in properties.items() if name in StoredDocument.model_fields}
    if (published := known.get("published")) is not None:
        known["published"] = published.to_native()
    prefix = "metadata_"
    metadata = {name.removeprefix(prefix): value for name, value in properties.items() if name.startswith(prefix)}
    return StoredDocument(**known, metadata=metadata, chunks=chunks)
