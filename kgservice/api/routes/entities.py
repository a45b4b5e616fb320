"""/entities: an entity with its facts and the sentences that state them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from kgservice.api.deps import AsOf, CorpusName, Limit, TheGraph, on_day
from kgservice.api.policy import gives
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Kind, Record, Source
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.rows import sources
from kgservice.resolution.decisions import WrittenName, entity_key, names_of
from kgservice.resolution.entity_history import EntityHistory, history

router = APIRouter(tags=["entities"])


class EntityFact(Record):
    """A fact of the entity. `objects`: distinct objects of its subject and relation; `subjects`: of the other end."""

    key: str
    subject: str
    subject_key: str
    relation: str
    object: str
    object_key: str
    objects: int
    subjects: int
    statements: tuple[Source, ...]


class WholeEntity(Record):
    """An entity with facts, those where it is the subject first; `degree` counts all of them, `more`: not all here.

    `names` are all that is written for it, each with the decision that says so; `aliases` are those that were merged.
    """

    key: str
    id: str
    corpus: str
    label: str
    kind: Kind
    value: float | str | None = None
    unit: str | None = None
    type: str | None = None
    aliases: tuple[str, ...] = ()
    description: str | None = None
    degree: int
    facts: tuple[EntityFact, ...]
    names: tuple[WrittenName, ...]
    more: bool = Field(description="there are facts beyond the limit")


@router.get("/entities/{name:path}", dependencies=[gives("graph")])
def get_entity(
    name: str,
    graph: TheGraph,
    corpus: Annotated[
        str | None, Query(min_length=1, description="Needed where an id (Q90) or an exact name is given, not a key.")
    ] = None,
    limit: Limit = 100,
    as_of: AsOf = None,
) -> WholeEntity:
    """Return an entity by its key, or by its id or exact name and its corpus, which `as_of` needs."""
    if as_of is not None and corpus is None:
        raise BadRequest("give the ?corpus= that as_of is about")
    if corpus is not None:
        corpus = on_day(graph, corpus, as_of)
        graph.check_corpus(corpus)
        name = entity_key(graph, corpus, name)
    rows = graph.read("read/entity", key=name, limit=limit + 1)
    if not rows:
        raise NotFound(f"no entity has the key {name!r}: for an id or a name, give its ?corpus= too")
    known = {field: value for field, value in rows[0]["entity"].items() if field in WholeEntity.model_fields}
    facts, names = rows[0]["facts"], names_of(graph, known["corpus"], known["key"], known["id"])
    known["aliases"] = tuple(one.name.removeprefix(LOCAL) for one in names if one.decision)
    shown = tuple(_fact(fact) for fact in facts[:limit])
    return WholeEntity(**known, facts=shown, names=names, more=len(facts) > limit)


@router.get("/history", dependencies=[gives("graph")])
def get_history(
    entity: Annotated[str, Query(min_length=1, description="Its key, its id or its exact name, also a former one.")],
    graph: TheGraph,
    corpus: CorpusName = "default",
    limit: Annotated[int, Query(ge=1, le=200, description="Facts of now, and former versions of documents.")] = 100,
) -> EntityHistory:
    """Return what was said about a thing, from which day until which, with the sentences; the newest last."""
    return history(graph, corpus, entity, limit)


def _fact(fact: dict[str, Any]) -> EntityFact:
    return EntityFact(
        key=fact["key"],
        subject=fact["subject"],
        subject_key=fact["subject_key"],
        relation=fact["label"],
        object=fact["object"],
        object_key=fact["object_key"],
        objects=fact["objects"],
        subjects=fact["subjects"],
        statements=sources(fact),
    )
