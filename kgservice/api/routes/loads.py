"""/loads: what the last loads did with their documents, and what was not read."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request

from kgservice.api.deps import CorpusName, TheGraph
from kgservice.api.policy import gives
from kgservice.core.journal import loads
from kgservice.core.records import Problem, Record
from kgservice.ingest.load_report import LoadReport

router = APIRouter(tags=["documents"])


class Loading(Record):
    """A load: when it began (UTC), its report, and the first documents that it did not let in."""

    at: datetime
    report: LoadReport
    left_out: tuple[Problem, ...]


class Loadings(Record):
    """The last loads of a corpus, newest first."""

    items: tuple[Loading, ...]


@router.get("/loads", dependencies=[gives("graph")])
def list_loads(
    graph: TheGraph,
    request: Request,
    corpus: CorpusName = "default",
    limit: Annotated[int, Query(ge=1, le=20)] = 5,
) -> Loadings:
    """List the last loads of a corpus by this data folder, however they were ordered: what was not read, and why.

    A report counts facts, so it is shut with the graph once the corpus has a release.
    """
    graph.check_corpus(corpus)
    found = loads(request.app.state.settings.home, corpus, limit)
    return Loadings(
        items=tuple(
            Loading(at=one.at, report=LoadReport.model_validate(one.report), left_out=one.problems) for one in found
        )
    )
