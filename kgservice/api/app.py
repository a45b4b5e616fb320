"""The service over HTTP: `create_app` puts routes, errors, limits and docs together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.concurrency import run_in_threadpool

from kgservice import __version__
from kgservice.api.body import BodyLimit
from kgservice.api.deps import role_keys
from kgservice.api.jobs import Jobs
from kgservice.api.problems import ProblemDetail, handle_problems
from kgservice.api.routes import (
    cypher,
    documents,
    entities,
    health,
    jobs,
    questions,
    releases,
    retrieve,
    subgraphs,
    submissions,
    web,
)
from kgservice.benchmark.archive import Archive
from kgservice.benchmark.submissions import Submissions
from kgservice.connect import connect
from kgservice.embedding import Embedder
from kgservice.graph.store import Graph
from kgservice.retrieval.scoring import scorer
from kgservice.settings import Settings

REQUEST_WAIT = 2.0  # seconds a request waits for a database that went away; a job waits KGS_NEO4J_WAIT
ROUTERS = (health, documents, entities, subgraphs, questions, retrieve, releases, submissions, jobs, web, cypher)

DESCRIPTION = """
Documents go in; a knowledge graph with sentence-level provenance grows in Neo4j; subgraphs with provably unique answers
become questions; the same graph drives retrieval.

**Keys.** Where `KGS_API_KEYS` is set, every route but `/health` needs a key in `X-API-Key` (or as a bearer token): a
*reader* may read, a *curator* also load, remove, generate and ask Cypher, an *admin* everything. Where it is not set,
everything is open, except `/cypher`, which then answers callers on the service's own machine only.

**Errors** are `application/problem+json` (RFC 9457). **Lists** come in pages: give `next` as `after` for the next one.
"""

PROBLEM: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem (RFC 9457)",
        "content": {"application/problem+json": {"schema": ProblemDetail.model_json_schema()}},
    }
}


def create_app(settings: Settings | None = None, graph: Graph | None = None) -> FastAPI:
    """Return the app; it opens the database of the settings as it starts, or uses an open graph that is its owner's.

    Raises SettingsError for API keys that cannot be used.
    """
    values = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as opened:
            if graph is None:
                requests = values.model_copy(update={"neo4j_wait": REQUEST_WAIT})
                app.state.job_graph = opened.enter_context(await run_in_threadpool(connect, values))
                app.state.graph = opened.enter_context(await run_in_threadpool(connect, requests))
            await run_in_threadpool(submissions.resume, app)
            yield
            await run_in_threadpool(app.state.jobs.stop)

    app = FastAPIOffline(
        title="kgservice",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        redoc_url=None,
        responses=PROBLEM,
        swagger_ui_parameters={"validatorUrl": None},  # no call to the validator's host
    )
    app.state.settings, app.state.role_keys = values, role_keys(values.api_keys)
    app.state.graph = app.state.job_graph = graph
    app.state.embedder, app.state.jobs = Embedder(values.embedding_model), Jobs()
    app.state.archive = Archive(values.releases)
    app.state.submissions = Submissions(values.home / "submissions.sqlite")
    app.state.scorer = scorer(values.reranker, app.state.embedder)
    app.add_middleware(BodyLimit)
    handle_problems(app)
    for module in ROUTERS:
        app.include_router(module.router)
    web.mount(app)
    return app
