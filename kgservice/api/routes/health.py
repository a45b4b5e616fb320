"""/health: whether the service and its database answer."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field

from kgservice import __version__
from kgservice.api.deps import TheGraph
from kgservice.model import Record
from kgservice.storage import fault

router = APIRouter(tags=["health"])


class Counts(Record):
    """What the whole database holds."""

    corpora: int
    documents: int
    chunks: int
    facts: int
    entities: int
    questions: int


class Health(Record):
    """The service runs and its database answers (else the answer is a 503).

    `degraded`: it reads, and may not be able to write, for the `reason`.
    """

    status: Literal["ok", "degraded"] = "ok"
    reason: str = ""
    free_bytes: int | None = Field(None, description="on the disk of KGS_HOME")
    version: str
    counts: Counts


@router.get("/health")
def health(graph: TheGraph, request: Request) -> Health:
    """Say whether the database answers and the disk has room, and how much there is; needs no key."""
    counts = Counts(**graph.read("read/counts")[0].data())
    reason, free = fault(request.app.state.settings.home)
    return Health(
        status="degraded" if reason else "ok", reason=reason, free_bytes=free, version=__version__, counts=counts
    )
