"""Decisions as a write applies them: which entity a name stands for, how a relation is called, and what was written.

Keys of chunks and what the sources say do not depend on decisions: they are applied as rows are made, and `written`
says what stood there, so that a changed decision restates a chunk without reading its document again.
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
Named: TypeAlias = tuple[str, str]  # the kind and the name that a decision is about


class Naming(NamedTuple):
    """A name in a chunk as linking left it, before decisions, with its place in the text where it has one."""

    entity: Entity
    surface: str
    start: int | None
    end: int | None


class AppliedDecisions(Record):
    """The decisions that hold for some names, at a version of the corpus's decisions (0: there are none)."""

    version: int = 0
    entities: Mapping[str, Entity] = {}
    relations: Mapping[str, str] = {}

    def entity(self, entity: Entity) -> Entity:
        """Return the entity that this one is decided to be."""
        return self.entities.get(entity.id, entity)

    def stated(self, given: LinkedTriplet) -> tuple[LinkedTriplet, str]:
        """Return a statement with the decisions applied, and what was written, as a fact keeps it ("" where the same).

        That is JSON [subject, relation, object], with the letters of those that a decision replaced behind: "so".
        """
        if given.written is None and not self.entities and not self.relations:
            return given, ""
        subject, obj = self.entity(given.subject), self.entity(given.object)
        relation = self.relations.get(given.relation, given.relation)
        marks = "s" * (subject is not given.subject) + "r" * (relation != given.relation)
        marks += "o" * (obj is not given.object)
        if not marks and given.written is None:
            return given, ""
        written = [*(given.written or (given.subject.label, given.relation, given.object.label)), marks]
        changed = {"subject": subject, "object": obj, "relation": relation}
        changed |= {"label": relation.removeprefix(OPEN)} if "r" in marks else {}
        return given.model_copy(update=changed), json.dumps(written if marks else written[:3], ensure_ascii=False)


NONE = AppliedDecisions()


def local(label: str, type_: str | None = None) -> Entity:
    """Return the entity of a name of the corpus alone."""
    return Entity(id=LOCAL + label, label=label, kind="entity", type=type_)


def replaced(written: str) -> str:
    """Return which parts of a statement a decision replaced, of what a fact keeps as written: letters of "sro".

    >>> replaced('["NYC", "near", "Lutz", "s"]'), replaced('["NYC", "near", "s"]'), replaced("")
    ('s', '', '')
    """
    parts: list[str] = json.loads(written) if written else []
    return parts[3] if len(parts) > 3 else ""


def before(row: Mapping[str, Any], types: Mapping[str, str | None]) -> LinkedTriplet:
    """Return a statement as it was before decisions, from a row of write/chunk_statements.

    `types` are the classes that the sources give names that are decided about no more, by id.
    """
    written: list[str] = json.loads(row["written"]) if row["written"] else []
    marks = replaced(row["written"])
    subject, relation, obj = Entity(**row["subject"]), row["relation"], Entity(**row["object"])
    label = row["label"]
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
    novel = None if marks else row["novel"]  # told of the fact by others that state it: a local end is in no index
    kept = {name: row[name] for name in ("sentence", "cell", "period", "said")}
    known = kept | {"written": source, "novel": novel}
    return LinkedTriplet(subject=subject, relation=relation, label=label, object=obj, **known)


def applied_decisions(run: Run, corpus: str, version: int, named: Iterable[Named]) -> AppliedDecisions:
    """Read what is decided about names, followed to the end: a name merged into one that is merged itself."""
    wanted = {keys.decision_key(corpus, kind, name): (kind, name) for kind, name in named}
    found: dict[str, neo4j.Record] = {}
    looked: set[str] = set()
    asked = set(wanted)
    while asked:
        looked |= asked
        rows = run("write/decisions", "keys", sorted(asked))
        found |= {row["key"]: row for row in rows}
        asked = {row["target"] for row in rows} - looked
    entities: dict[str, Entity] = {}
    relations: dict[str, str] = {}
    for key in wanted.keys() & found.keys():
        kind, name = wanted[key]
        end = found[key]
        while end["target"] in found:
            end = found[end["target"]]
        if kind == "entity":
            entities[name] = Entity(id=end["into"], label=end["label"], kind="entity")
        else:
            relations[name] = end["into"]
    return AppliedDecisions(version=version, entities=entities, relations=relations)


def names_in(statements: Iterable[LinkedTriplet], entities: Iterable[Entity]) -> set[Named]:
    """Return the names that decisions may be about."""
    found: set[Named] = {("entity", entity.id) for entity in entities}
    for statement in statements:
        found.update((("entity", statement.subject.id), ("entity", statement.object.id)))
        found.add(("relation", statement.relation))
    return found


def named_in(batch: Iterable[StatedDocument]) -> set[Named]:
    """Return the names of a batch that decisions may be about."""
    items = [item for stated in batch for item in stated.chunks]
    return names_in(
        (statement for item in items for statement in item.statements),
        (named.entity for item in items for named in item.mentions),
    )


def stored_names(chunk: Mapping[str, Any]) -> list[Naming]:
    """Return the names of a stored chunk as they were before decisions."""
    found = []
    for row in chunk["mentions"]:
        stored = Entity(**row["entity"])
        if row["names"] is None:
            found.append(Naming(stored, row["surface"], row["start"], row["end"]))
            continue
        for name, place in zip(row["names"], row["places"], strict=True):
            entity = stored if name == stored.id else local(name.removeprefix(LOCAL))
            found.append(Naming(entity, *json.loads(place)))
    return found
