"""/graph: the picture of a corpus."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from kgservice.api.deps import CorpusName, TheGraph
from kgservice.api.policy import gives
from kgservice.graph.picture import Picture, picture
from kgservice.questions import question_store

router = APIRouter(tags=["page"])


@router.get("/graph", dependencies=[gives("graph")])
def get_graph(
    graph: TheGraph,
    corpus: CorpusName = "default",
    limit: Annotated[int, Query(ge=10, le=2_000, description="Things at most.")] = 300,
) -> Picture:
    """Return the best connected things of a corpus, what is beside them, and the facts between them.

    It is derived from the gold graph as entities are, and is shut with them once the corpus has a release.
    """
    return picture(graph, corpus, limit, question_store.corpus_schema(graph, corpus))
