"""/health: whether the service and its database answer."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field

from kgservice import __version__
from kgservice.api.deps import TheArchive, TheGraph
from kgservice.api.policy import Sight, gives
from kgservice.core.records import ReadServerState, Record
from kgservice.core.storage import storage_problem

router = APIRouter(tags=["health"])


class DatabaseCounts(Record):
    """What the whole database holds, which is more than the corpora's totals: `status` and `/corpora` have those.

    The last three are null if the caller is no curator.
    """

    corpora: int
    documents: int
    chunks: int
    facts: int | None
    entities: int | None = Field(description="with those that passages only mention; a corpus counts entities of facts")
    questions: int | None = Field(description="of every state: active, rejected, retired")


class Health(Record):
    """The service runs and its database answers (else the answer is a 503).

    `degraded`: it reads, and may not be able to write, for the `reason`.
    """

    status: Literal["ok", "degraded"] = "ok"
    reason: str = ""
    free_bytes: int | None = Field(None, description="on the disk of KGS_HOME")
    version: str
    counts: DatabaseCounts
    read_servers: tuple[ReadServerState, ...] = Field((), description="of KGS_NEO4J_READ_URIS, in their order")


@router.get("/health", dependencies=[gives("health")])
def health(graph: TheGraph, archive: TheArchive, request: Request) -> Health:
    """Say whether the database answers and the disk has room, and how much there is; needs no key."""
    counts = graph.read("read/counts")[0].data()
    servers = graph.read_servers()
    if not Sight(archive, request.state.caller, graph).trusted:
        servers = [ReadServerState(state=server.state) for server in servers]
        counts |= dict.fromkeys(("facts", "entities", "questions"))
    reason, free = storage_problem(request.app.state.settings.home)
    return Health(
        status="degraded" if reason else "ok",
        reason=reason,
        free_bytes=free,
        version=__version__,
        counts=DatabaseCounts(**counts),
        read_servers=tuple(servers),
    )
