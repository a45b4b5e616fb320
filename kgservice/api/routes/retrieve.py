"""/retrieve: the best chunks for a query."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from kgservice.api.deps import TheEmbedder, TheGraph, reader
from kgservice.api.given import Text
from kgservice.model import Record
from kgservice.retrieval import RETRIEVERS, retrieve
from kgservice.retrieval.hit import Hit

router = APIRouter(tags=["retrieval"])


class Search(Record):
    """A query for a retriever."""

    query: Text = Field(examples=["Which city is the capital of Varnia?"])
    retriever: Text = Field("bm25", description=", ".join(RETRIEVERS), examples=["bm25"])
    k: int = Field(10, ge=1, le=1_000, description="how many chunks at most", examples=[5])
    corpus: str = Field("default", min_length=1, examples=["demo"])


class Hits(Record):
    """The chunks found, best first."""

    hits: tuple[Hit, ...]


@router.post("/retrieve", dependencies=[reader])
def find(search: Search, graph: TheGraph, embedder: TheEmbedder) -> Hits:
    """Return the k best chunks of a corpus for a query, each with its score and why."""
    return Hits(hits=tuple(retrieve(graph, search.corpus, search.retriever, search.query, search.k, embedder)))
