"""/views: corpora as of a day, which GET routes read by `as_of`."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import Field

from kgservice.api.deps import TheCaller, TheGraph, TheJobs, queued
from kgservice.api.job_records import Job, ViewWritten
from kgservice.api.policy import gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.core.records import Day, Record
from kgservice.graph.views import check_view, make_view
from kgservice.ingest.pipeline import Advance

router = APIRouter(prefix="/views", tags=["documents"], route_class=ReadingRoute)


class ViewOrder(Record):
    """A corpus and the day of which it is to be shown."""

    corpus: str = Field("default", min_length=1, examples=["demo"])
    as_of: Day


@router.post("", status_code=202, dependencies=[gives("orders")], openapi_extra=body_of(MB // 10))
def write_view(
    order: ViewOrder, graph: TheGraph, jobs: TheJobs, caller: TheCaller, request: Request, response: Response
) -> Job:
    """Write what the documents of a corpus said on a day, or bring it up to date, as a job.

    Then `as_of` of /subgraphs/{pattern}, /questions and /entities shows it, until the corpus is written again.
    """
    name = check_view(graph, order.corpus, order.as_of)
    job = jobs.add("view", name, order, by=caller.owner)
    return queued(job, request, response)


def work(app: FastAPI, order: str, advance: Advance) -> ViewWritten:
    """Write a view."""
    wanted = ViewOrder.model_validate_json(order)
    made = make_view(app.state.job_graph, wanted.corpus, wanted.as_of, lambda count: advance("documents", count))
    return ViewWritten(view=made.corpus, documents=made.documents, changed=made.changed)
