"""Decisions applied to a write: the entity of a name, the name of a relation, and the words of the source.

Keys of chunks and the sources' words do not depend on decisions. Decisions are applied as rows are made, and `written`
keeps the original words, so that a changed decision restates a chunk without its document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import neo4j

from kgservice.core import keys
from kgservice.core.records import Entity, LinkedTriplet, Record, StatedDocument
from kgservice.core.schema import OPEN

LOCAL = "local:"
Run: TypeAlias = Callable[..., list[neo4j.Record]]
Named: TypeAlias = tuple[str, str]  # the kind and the name of a decision


class Naming(NamedTuple):
    """A name in a chunk after linking and before decisions, with its place in the text if it has one."""

    entity: Entity
    surface: str
    start: int | None
    end: int | None


class AppliedDecisions(Record):
    """The decisions about some names, at a version of the corpus's decisions (0: there are none)."""

    version: int = 0
    entities: Mapping[str, Entity] = {}
    relations: Mapping[str, str] = {}

    def entity(self, entity: Entity) -> Entity:
        """Return the entity that decisions make of this one."""
        return self.entities.get(entity.id, entity)

    def stated(self, triplet: LinkedTriplet) -> tuple[LinkedTriplet, str]:
        """Return a triplet with decisions applied, and the words of the source as a fact keeps them ("" if equal).

        These are JSON [subject, relation, object], with the letters of the replaced parts appended: "so".
        """
        if triplet.written is None and not self.entities and not self.relations:
            return triplet, ""
        subject, obj = self.entity(triplet.subject), self.entity(triplet.object)
        relation = self.relations.get(triplet.relation, triplet.relation)
        marks = "s" * (subject is not triplet.subject) + "r" * (relation != triplet.relation)
        marks += "o" * (obj is not triplet.object)
        if not marks and triplet.written is None:
            return triplet, ""
        written = [*(triplet.written or (triplet.subject.label, triplet.relation, triplet.object.label)), marks]
        changed = {"subject": subject, "object": obj, "relation": relation}
        changed |= {"label": relation.removeprefix(OPEN)} if "r" in marks else {}
        return triplet.model_copy(update=changed), json.dumps(written if marks else written[:3], ensure_ascii=False)


NONE = AppliedDecisions()


def local(label: str, type_: str | None = None) -> Entity:
    """Return the entity of a name known in this corpus alone."""
    return Entity(id=LOCAL + label, label=label, kind="entity", type=type_)


def replaced(written: str) -> str:
    """Return which parts of a stored `written` value a decision replaced, letters of "sro".



    >>> replaced('["NYC", "near", "Lutz", "s"]'), replaced('["NYC", "near", "s"]'), replaced("")
    ('s', '', '')
    """
    parts: list[str] = json.loads(written) if written else []
    return parts[3] if len(parts) > 3 else ""


def before(row: Mapping[str, Any], types: Mapping[str, str | None]) -> LinkedTriplet:
    """Return a triplet as it was before decisions, from a row of write/chunk_statements.

    `types` are the classes that the chunk gives names, by id.
    """
    written: list[str] = json.loads(row["written"]) if row["written"] else []
    marks = replaced(row["written"])
    subject, obj = (Entity(**row[side], type=types.get(row[side]["id"])) for side in ("subject", "object"))
    relation, label = row["relation"], row["label"]
    if "s" in marks:
        subject = local(written[0], types.get(LOCAL + written[0]))
    if "o" in marks:
        obj = local(written[2], types.get(LOCAL + written[2]))
    if "r" in marks:
        relation = written[1]
        label = relation.removeprefix(OPEN)
    source = (written[0], written[1], written[2]) if written else None
    if source == (subject.label, relation, obj.label):
        source = None
    novel = None if marks else row["novel"]  # from other statements of the fact: a local end is in no index
    kept = {name: row[name] for name in ("sentence", "cell", "period", "said", "confidence")}
    fields = kept | {"written": source, "novel": novel}
    return LinkedTriplet(subject=subject, relation=relation, label=label, object=obj, **fields)


def applied_decisions(run: Run, corpus: str, version: int, named: Iterable[Named]) -> AppliedDecisions:
    """Return the decisions about names, each followed to its end: a target may be merged itself."""
    wanted = {keys.decision_key(corpus, kind, name): (kind, name) for kind, name in named}
    decided: dict[str, neo4j.Record] = {}
    seen: set[str] = set()
    pending = set(wanted)
    while pending:
        seen |= pending
        rows = run("write/decisions", "keys", sorted(pending))
        decided |= {row["key"]: row for row in rows}
        pending = {row["target"] for row in rows} - seen
    entities: dict[str, Entity] = {}
    relations: dict[str, str] = {}
    for key in wanted.keys() & decided.keys():
        kind, name = wanted[key]
        end = decided[key]
        while end["target"] in decided:
            end = decided[end["target"]]
        if kind == "entity":
            entities[name] = Entity(id=end["into"], label=end["label"], kind="entity")
        else:
            relations[name] = end["into"]
    return AppliedDecisions(version=version, entities=entities, relations=relations)


def names_in(statements: Iterable[LinkedTriplet], entities: Iterable[Entity]) -> set[Named]:
    """Return the names in triplets and mentions that decisions may be about."""
    names: set[Named] = {("entity", entity.id) for entity in entities}
    for statement in statements:
        names.update((("entity", statement.subject.id), ("entity", statement.object.id)))
        names.add(("relation", statement.relation))
    return names


def named_in(batch: Iterable[StatedDocument]) -> set[Named]:
    """Return the names of a batch that decisions may be about."""
    items = [item for stated in batch for item in stated.chunks]
    return names_in(
        (statement for item in items for statement in item.statements),
        (mention.entity for item in items for mention in item.mentions),
    )


def stored_names(chunk: Mapping[str, Any]) -> list[Naming]:
    """Return the names of a stored chunk as they were before decisions."""
    namings = []
    for row in chunk["mentions"]:
        stored = Entity(**row["entity"], type=row["type"])
        if row["names"] is None:
            namings.append(Naming(stored, row["surface"], row["start"], row["end"]))
            continue
        for name, place in zip(row["names"], row["places"], strict=True):
            surface, start, end, *type_ = json.loads(place)  # earlier versions kept no class
            entity = stored if name == stored.id else local(name.removeprefix(LOCAL), *type_)
            namings.append(Naming(entity, surface, start, end))
    return namings
