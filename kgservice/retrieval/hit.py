"""Hits: the results of every retriever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kgservice.core.records import Record, Scalar
from kgservice.graph.store import Graph

Why: TypeAlias = dict[str, Scalar | tuple[str, ...]]


class Hit(Record):
    """A chunk that matches a query. `why` explains the match in the retriever's own terms.

    `chunk` and `document` are keys. Scores compare only within one query of one retriever. Higher is better.
    """

    chunk: str
    document: str
    title: str
    score: float
    text: str
    why: Why

    def rescored(self, score: float, why: Why) -> Hit:
        """Return a copy of the hit with another score and explanation."""
        return self.model_copy(update={"score": score, "why": why})


class PlacedHit(Hit):
    """A hit with its place: `source` is what was loaded (a path or an id), `page` counts from 1; None where unknown."""

    source: str | None = None
    url: str | None = None
    page: int | None = None
    section: str | None = None


def placed(graph: Graph, hits: Iterable[Hit]) -> list[PlacedHit]:
    """Return hits with their places, which are read for the hits that came without them."""
    found = list(hits)
    lacking = [hit.chunk for hit in found if not isinstance(hit, PlacedHit)]
    rows = graph.read("read/places", keys=lacking) if lacking else []
    places = {row["chunk"]: row.data() for row in rows}
    return [
        hit if isinstance(hit, PlacedHit) else PlacedHit(**hit.model_dump() | places.get(hit.chunk, {}))
        for hit in found
    ]


def best_first(hits: Iterable[Hit], k: int) -> list[Hit]:
    """Return the k best hits by score, then by key, the order of all retrievers."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk))[:k]
