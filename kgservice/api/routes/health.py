"""/health: whether the service and its database answer."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request

from kgservice import __version__
from kgservice.api.deps import TheArchive, TheGraph
from kgservice.api.policy import Sight, gives
from kgservice.model import Record

router = APIRouter(tags=["health"])


class Counts(Record):
    """What the whole database holds; the last three are null for who is no curator."""

    corpora: int
    documents: int
    chunks: int
    facts: int | None
    entities: int | None
    questions: int | None


class Health(Record):
    """The service runs and its database answers (else the answer is a 503)."""

    status: Literal["ok"] = "ok"
    version: str
    counts: Counts


@router.get("/health", dependencies=[gives("health")])
def health(graph: TheGraph, archive: TheArchive, request: Request) -> Health:
    """Say whether the database answers, and how much it holds; needs no key."""
    counts = graph.read("read/counts")[0].data()
    if not Sight(archive, request.state.caller).trusted:
        counts |= dict.fromkeys(("facts", "entities", "questions"))
    return Health(version=__version__, counts=Counts(**counts))
