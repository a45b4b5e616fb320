"""The service over HTTP: `create_app` puts routes, errors, limits and docs together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Depends, FastAPI
from fastapi_offline import FastAPIOffline
from filelock import FileLock, Timeout
from starlette.concurrency import run_in_threadpool
from starlette.routing import Route

from kgservice import __version__
from kgservice.api import query_parameters
from kgservice.api.entry.access import Keys
from kgservice.api.entry.audit import Audit
from kgservice.api.entry.body import Bodies
from kgservice.api.entry.gate import Gate
from kgservice.api.entry.limit import Limit
from kgservice.api.entry.metrics import Metrics
from kgservice.api.entry.problems import ProblemDetail, handle_problems
from kgservice.api.job_records import Kind, Report
from kgservice.api.jobs import Jobs, Runner
from kgservice.api.mcp import door
from kgservice.api.neo4j_watch import watched
from kgservice.api.policy import declared
from kgservice.api.routes import (
    ask,
    baselines,
    cypher,
    documents,
    entities,
    files,
    health,
    jobs,
    loads,
    metrics,
    questions,
    releases,
    retrieve,
    subgraphs,
    submissions,
    views,
    web,
)
from kgservice.api.routes import (
    graph as graph_route,
)
from kgservice.core.errors import SettingsError
from kgservice.core.settings import Settings
from kgservice.core.storage import owner_only
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Advance
from kgservice.leaderboard.portal_judge import portal_judge
from kgservice.leaderboard.submissions import Submissions
from kgservice.releases.archive import Archive
from kgservice.retrieval.reranker import cross_encoder
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder

REQUEST_WAIT = 3.0  # seconds a request waits for a database that went away; a job waits KGS_NEO4J_WAIT
READ = (health, metrics, documents, files, entities, graph_route, loads, subgraphs, questions, retrieve, ask)
ROUTERS = (*READ, views, releases, submissions, baselines, jobs, web, cypher)
WORK: dict[Kind, Callable[[FastAPI, str, Advance], Report]] = {
    "load": documents.work,
    "files": files.work,
    "questions": questions.work,
    "evaluation": submissions.work,
    "baseline": baselines.work,
    "release": releases.work,
    "view": views.work,
}

DESCRIPTION = """
Documents go in; a knowledge graph with sentence-level provenance grows in Neo4j; subgraphs with provably unique answers
become questions; the same graph drives retrieval.

**Keys.** Where there are keys (`kgservice keys create`, or `KGS_API_KEYS`), every route with data needs one in
`X-API-Key` (or as a bearer token): a *reader* may read and submit, a *curator* also load, remove, generate, release,
ask Cypher, an *admin* everything. Where there are none, everything is open, but for `/cypher`, which then answers
callers on the service's own machine only. Too many requests a minute are a 429 with `Retry-After`. Each answer has an
`X-Request-ID`, which the service's log knows.

**Errors** are `application/problem+json` (RFC 9457). A query parameter that a route does not know is a 422. **Lists**
come in pages: give `next` as `after` for the next one.
"""

PROBLEM: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem (RFC 9457)",
        "content": {"application/problem+json": {"schema": ProblemDetail.model_json_schema()}},
    }
}


class OneService(NamedTuple):
    """What the workers of a service share: the queue of jobs, the rate limit, and the folder of their metrics."""

    jobs: Jobs
    limit: Limit
    metrics: Path


def create_app(
    settings: Settings | None = None, graph: Graph | None = None, shared: OneService | None = None
) -> FastAPI:
    """Return the app; it opens the database of the settings as it starts, or uses an open graph that is its owner's.

    `shared`: the app answers requests alone, and `at_work` runs in another process. Raises SettingsError for API keys
    and a portal's judge that cannot be used.
    """
    values = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        started = at_work(app) if shared is None else connected(app)
        async with in_thread(started), agents.open():
            yield

    app = FastAPIOffline(
        title="kgservice",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
        responses=PROBLEM,
        dependencies=[Depends(declared), Depends(query_parameters.known)],
        swagger_ui_parameters={"validatorUrl": None},  # no call to the validator's host
    )
    app.state.settings, app.state.keys = values, Keys(values.keys, values.api_keys)
    app.state.graph = app.state.job_graph = graph
    agents = door.McpDoor(app)
    # a worker is one of several processes, and a second thread takes more than it saves on a query
    app.state.embedder = Embedder(values.embedding_model, threads=1 if shared else 0)
    app.state.jobs = shared.jobs if shared else jobs_of(app, values.home)
    app.state.metrics = Metrics(lambda: (job.state for job in app.state.jobs.all()), shared.metrics if shared else None)
    app.state.archive = Archive(values.releases, values.release_key)
    app.state.submissions = Submissions(values.submissions, portal_judge(values))
    app.state.scorer = cross_encoder(values)
    limit = shared.limit if shared else Limit(values.rate_limit)
    passed = {"keys": app.state.keys, "limit": limit, "audit": Audit(values.home)}
    app.add_middleware(Gate, **passed, metrics=app.state.metrics, hosts=values.hosts)
    app.add_middleware(Bodies)
    handle_problems(app)
    for module in ROUTERS:
        app.include_router(module.router)
    web.mount(app)
    app.router.routes.append(Route(door.PATH, agents, include_in_schema=False))
    return app


def jobs_of(app: FastAPI, folder: Path, *, lasting: bool = True) -> Jobs:
    """Return a job queue of an app, kept in a folder; each kind of job runs the function `work` of its route."""
    runners: dict[Kind, Runner] = {kind: partial(work, app) for kind, work in WORK.items()}
    return Jobs(folder / "jobs.sqlite", runners, lasting=lasting)


@contextmanager
def connected(app: FastAPI) -> Iterator[None]:
    """Hold the database of an app open for its requests, unless it was given one."""
    values: Settings = app.state.settings
    if app.state.graph is not None:
        yield
        return
    with connect(values.model_copy(update={"neo4j_wait": REQUEST_WAIT})) as app.state.graph:
        yield


@contextmanager
def at_work(app: FastAPI) -> Iterator[None]:
    """Hold the data folder and the database, watch Neo4j and run the jobs. Raises SettingsError as `alone`."""
    values: Settings = app.state.settings
    with ExitStack() as opened:
        opened.enter_context(alone(values.home))
        if app.state.graph is None:
            app.state.job_graph = opened.enter_context(connect(values))
            opened.enter_context(connected(app))
            opened.enter_context(watched(values))
        app.state.jobs.start()
        files.sweep(values.home, app.state.jobs, starting=True)
        submissions.resume(app)
        yield
        app.state.jobs.stop()


@asynccontextmanager
async def in_thread(work: AbstractContextManager[None]) -> AsyncIterator[None]:
    """Enter and leave a block in a thread, so that the event loop goes on."""
    await run_in_threadpool(work.__enter__)
    try:
        yield
    except BaseException as error:
        await run_in_threadpool(work.__exit__, type(error), error, error.__traceback__)
        raise
    else:
        await run_in_threadpool(work.__exit__, None, None, None)


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Hold the service lock of the data folder. Raises SettingsError if another service holds it."""
    owner_only(home)
    lock = FileLock(home / "service.lock", thread_local=False)  # the app takes and leaves it in threads
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise SettingsError(f"another service runs with KGS_HOME {home}: stop it, or choose another folder") from error
    try:
        yield
    finally:
        lock.release()
