"""/retrieve: the best chunks for a query."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import Field

from kgservice.api.deps import TheEmbedder, TheGraph, TheScorer
from kgservice.api.policy import TheSight, gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.api.sent_documents import Text
from kgservice.core.records import Day, Record
from kgservice.retrieval import NAMES, retrieve
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import PlacedHit, placed

router = APIRouter(tags=["retrieval"], route_class=ReadingRoute)


class Search(Record):
    """A query for a retriever, in a corpus or a part of it."""

    query: str = Field(max_length=10_000, examples=["Which city is the capital of Varnia?"])
    retriever: Text = Field("bm25", description=NAMES, examples=["bm25"])
    k: int = Field(10, ge=1, le=1_000, description="how many chunks at most", examples=[5])
    corpus: str = Field("default", min_length=1, examples=["demo"])
    documents: tuple[Text, ...] = Field((), max_length=1_000, description="only these documents, by id or key")
    published_since: Day | None = Field(None, description="only documents of this day or later")
    published_until: Day | None = Field(None, description="only documents of this day or earlier")
    gold: tuple[Text, ...] = Field((), max_length=1_000, description="oracle: the chunks or documents to find")


class Hits(Record):
    """The chunks found, best first."""

    hits: tuple[PlacedHit, ...]


@router.post("/retrieve", response_model=Hits, dependencies=[gives("texts")], openapi_extra=body_of(MB))
def find(search: Search, graph: TheGraph, embedder: TheEmbedder, scorer: TheScorer, sight: TheSight) -> Response:
    """Return the k best chunks of a corpus for a query, each with its score, why, and its place.

    `why` names facts, so a reader has none of it in a corpus that has a release.
    """
    # a Response, as FastAPI would check the hits once more, in a thread of its own
    within = SearchFilter(**search.model_dump(include=set(SearchFilter.model_fields)))
    options = {"within": within, "scorer": scorer, "gold": {search.query: search.gold}}
    found = retrieve(graph, search.corpus, search.retriever, search.query, search.k, embedder, **options)
    if not sight.sees("graph", search.corpus):
        found = [hit.model_copy(update={"why": {}}) for hit in found]
    return Response(Hits(hits=tuple(placed(graph, found))).model_dump_json(), media_type="application/json")
