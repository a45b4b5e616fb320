"""/health: whether the service and its database answer."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter

from kgservice import __version__
from kgservice.api.deps import TheGraph
from kgservice.model import Record

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
    """The service runs and its database answers (else the answer is a 503)."""

    status: Literal["ok"] = "ok"
    version: str
    counts: Counts


@router.get("/health")
def health(graph: TheGraph) -> Health:
    """Say whether the database answers, and how much it holds; needs no key."""
    return Health(version=__version__, counts=Counts(**graph.read("read/counts")[0].data()))
