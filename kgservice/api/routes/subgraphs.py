"""/subgraphs: what a pattern can ask about, as a page, a count or a stream."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from kgservice.api.deps import TheGraph, on_day
from kgservice.api.listing import Page, page_of
from kgservice.api.policy import gives
from kgservice.core.records import Day, Record, Subgraph
from kgservice.questions.patterns import PATTERNS, SubgraphOptions, count_listed, page

router = APIRouter(tags=["subgraphs"])

NDJSON = "application/x-ndjson"
PAGE = 100


class SubgraphQuery(SubgraphOptions):
    """Which subgraphs, in what form."""

    max_pivot_degree: int = Field(20, ge=1, le=2**31, description="facts a bridge may have")
    max_set: int = Field(10, ge=2, le=2**31, description="largest set")
    max_partners: int = Field(10, ge=1, le=1_000, description="comparison: subjects that each one is compared with")
    max_years: int = Field(1, ge=1, le=2_000, description="pluri_hop: years of a range; 1: no ranges")
    max_properties: int = Field(1, ge=1, le=2, description="pluri_hop: properties that choose the documents")
    relation: str | None = Field(None, min_length=1, description="one of the relations of a row")
    type: str | None = Field(None, min_length=1, description="the type of a named, answering or bridging entity")
    published_since: Day | None = Field(None, description="every fact of a reading is in a document since this day")
    published_until: Day | None = Field(None, description="every fact of a reading is in a document until this day")
    novel: bool = Field(False, description="every fact is novel")
    open: bool = Field(False, description="single: open facts of texts too, not of tables alone")
    corpus: str = Field("default", min_length=1)
    limit: int | None = Field(None, ge=1, le=1_000, description=f"rows; {PAGE} a page when not given, a stream has all")
    after: str = Field("", description="go on after this id: `next` of the page before")
    seed: int | None = Field(None, description="a uniform sample of `limit` rows instead of a page")
    as_of: Day | None = Field(None, description="by what the documents said on this day: first POST /views")
    count: bool = Field(False, description="only how many there are")


class PatternCount(Record):
    """How many subgraphs of a pattern are eligible."""

    pattern: str
    count: int


STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "A page, a count, or a row a line.", "content": {NDJSON: {"schema": {"type": "string"}}}}
}


@router.get(
    "/subgraphs/{pattern}",
    response_model=Page[Subgraph] | PatternCount,
    responses=STREAM,
    dependencies=[gives("graph")],
)
def list_subgraphs(
    pattern: Annotated[str, Path(description=", ".join(PATTERNS), examples=["chain"])],
    wanted: Annotated[SubgraphQuery, Query()],
    graph: TheGraph,
    request: Request,
) -> Page[Subgraph] | PatternCount | StreamingResponse:
    """List the subgraphs whose question has exactly one answer, in order of id.

    With `Accept: application/x-ndjson` all rows are streamed, one a line.
    """
    choice = SubgraphOptions(**wanted.model_dump(include=set(SubgraphOptions.model_fields)))
    corpus = on_day(graph, wanted.corpus, wanted.as_of)
    if wanted.count:
        return PatternCount(pattern=pattern, count=count_listed(graph, corpus, pattern, choice))
    found = partial(page, graph, corpus, pattern, choice, after=wanted.after, seed=wanted.seed)
    if NDJSON in request.headers.get("accept", ""):
        return StreamingResponse(_lines(found(limit=wanted.limit)), media_type=NDJSON)
    limit = wanted.limit or PAGE
    return page_of(found(limit=limit if wanted.seed is not None else limit + 1), limit, "id")


def _lines(rows: Iterator[Subgraph]) -> Iterator[str]:
    """Return the rows as lines; the first is fetched here, so that what goes wrong at once is still a status."""
    first = list(islice(rows, 1))
    return (row.model_dump_json() + "\n" for row in chain(first, rows))
