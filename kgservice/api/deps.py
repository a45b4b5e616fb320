"""What routes depend on: the graph, the embedder, the jobs, the releases, and the caller.

A dependency that only looks something up is `async`: FastAPI runs any other in a thread, for 0.2 ms a request each.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query, Request, Response, Security
from fastapi.security import APIKeyHeader, HTTPBearer

from kgservice.api.entry.access import Caller, Keys, is_loopback
from kgservice.api.entry.gate import NO_KEY
from kgservice.api.entry.metrics import Metrics
from kgservice.api.entry.problems import forbidden
from kgservice.api.job_records import Job
from kgservice.api.jobs import Jobs
from kgservice.core.errors import NotFound
from kgservice.core.records import Day
from kgservice.graph.store import Graph
from kgservice.graph.views import current_view
from kgservice.leaderboard.submissions import Submissions
from kgservice.releases.archive import Archive
from kgservice.retrieval.reranker import Scorer
from kgservice.vectors.embedder import Embedder

_header = APIKeyHeader(name="X-API-Key", auto_error=False, description="Needed where the service has keys configured.")
_bearer = HTTPBearer(auto_error=False, description="The same key as a bearer token.")


def _held(name: str) -> Callable[[Request], Any]:
    """Return a dependency that returns `app.state.<name>` (set in app.py)."""

    async def held(request: Request) -> Any:
        return getattr(request.app.state, name)

    return held


def caller_of(request: Request) -> Caller:
    """Return the caller that the gate identified; 401 if unknown."""
    caller: Caller | None = request.state.caller
    if caller is None:
        raise HTTPException(401, NO_KEY, {"WWW-Authenticate": "Bearer"})
    return caller


async def get_caller(
    request: Request,
    _key: Annotated[object, Security(_header)],
    _token: Annotated[object, Security(_bearer)],
) -> Caller:
    """Return the caller as `caller_of`; the other parameters only document the headers."""
    return caller_of(request)


TheCaller = Annotated[Caller, Depends(get_caller)]


def keyed_or_local(request: Request) -> None:
    """Refuse callers from other machines where no keys are configured (403)."""
    keys: Keys = request.app.state.keys
    if not keys.configured() and not (request.client and is_loopback(request.client.host)):
        raise forbidden("without configured keys (KGS_API_KEYS) this answers on the service's own machine only")


def queued(job: Job, request: Request, response: Response, **about: str | int | bool) -> Job:
    """Return a queued job: set the Location header, and note the job for the audit."""
    response.headers["Location"] = f"/jobs/{job.id}"
    request.state.about |= {"job": job.id, "corpus": job.corpus} | about
    return job


TheGraph = Annotated[Graph, Depends(_held("graph"))]
TheEmbedder = Annotated[Embedder, Depends(_held("embedder"))]
TheScorer = Annotated[Scorer | None, Depends(_held("scorer"))]
TheJobs = Annotated[Jobs, Depends(_held("jobs"))]
TheArchive = Annotated[Archive, Depends(_held("archive"))]
TheMetrics = Annotated[Metrics, Depends(_held("metrics"))]
TheSubmissions = Annotated[Submissions, Depends(_held("submissions"))]

CorpusName = Annotated[str, Query(min_length=1, description="The collection of documents.", examples=["demo"])]
Limit = Annotated[int, Query(ge=1, le=1_000, description="Items a page.")]
AsOf = Annotated[
    Day | None, Query(description="By what the documents said on this day. A curator writes that first: POST /views.")
]


Holder = Annotated[str | None, Query(min_length=1, description="Not needed: the id of a question tells its corpus.")]


def holder_of(graph: Graph, question: str, corpus: str | None) -> str:
    """Return the given corpus, or where none is given the one that the id of a question is of. Raises NotFound."""
    if corpus is None and (corpus := graph.corpus_of(question)) is None:
        raise NotFound(f"no question {question!r} in any corpus; see `kgservice questions list`, or GET /questions")
    return corpus


def on_day(graph: Graph, corpus: str, as_of: date | None) -> str:
    """Return the corpus to read: the given one, or its view on a day. Raises NotFound if that is not up to date."""
    if as_of is None:
        return corpus
    order = f'POST /views {{"corpus": "{corpus}", "as_of": "{as_of}"}}'
    return current_view(graph, corpus, as_of, f"a curator has it written by {order}")


After = Annotated[str, Query(description="Go on after this one: `next` of the page before.")]
