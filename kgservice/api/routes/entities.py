"""/entities: an entity with its facts and the sentences that state them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from kgservice import keys
from kgservice.api.deps import Limit, TheGraph, reader
from kgservice.errors import BadRequest, NotFound
from kgservice.graph.rows import sources
from kgservice.graph.store import Graph
from kgservice.linking.mentions import form
from kgservice.model import Kind, Record, Source

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
    """An entity with facts, those where it is the subject first; `degree` counts all of them, `more`: not all here."""

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
    more: bool = Field(description="there are facts beyond the limit")


@router.get("/entities/{name:path}", dependencies=[reader])
def get_entity(
    name: str,
    graph: TheGraph,
    corpus: Annotated[
        str | None, Query(min_length=1, description="Needed where an id (Q90) or an exact name is given, not a key.")
    ] = None,
    limit: Limit = 100,
) -> WholeEntity:
    """Return an entity by its key, or by its id or exact name and its corpus."""
    if corpus is not None:
        graph.check_corpus(corpus)
        name = _key(graph, corpus, name)
    rows = graph.read("read/entity", key=name, limit=limit + 1)
    if not rows:
        raise NotFound(f"no entity has the key {name!r}: for an id or a name, give its ?corpus= too")
    known = {field: value for field, value in rows[0]["entity"].items() if field in WholeEntity.model_fields}
    facts = rows[0]["facts"]
    return WholeEntity(**known, facts=tuple(_fact(fact) for fact in facts[:limit]), more=len(facts) > limit)


def _key(graph: Graph, corpus: str, name: str) -> str:
    """Return the key of the entity that has this key, id or name in a corpus."""
    for key in (name, keys.entity_key(corpus, name)):
        if key.startswith(keys.corpus_code(corpus)) and graph.read("read/entity", key=key, limit=0):
            return key
    found = [
        str(row["key"]) for row in graph.read("read/entities_named", form=keys.form_key(corpus, form(name)), label=name)
    ]
    if not found:
        raise NotFound(f"no entity {name!r} in corpus {corpus!r}: names are exact, upper and lower case included")
    if len(found) > 1:
        raise BadRequest(f"several entities are called {name!r}: give one of their keys, {', '.join(found[:20])}")
    return found[0]


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
