"""Puts decisions into a chunk: names become items, relations become properties, what was written stays beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from kgservice.core.records import Entity, LinkedTriplet, Mention, StatedChunk
from kgservice.linking.candidate_score import HUMAN
from kgservice.linking.novelty import novel
from kgservice.linking.wikidata_dump import name as id_of
from kgservice.linking.wikidata_dump import number
from kgservice.linking.wikidata_index import IndexedItem, Wikidata

MOST_ALIASES = 20  # that an entity keeps

Name: TypeAlias = tuple[str, str | None]
"""A name in a chunk with the type that the source gives it."""


class ChunkMeanings(NamedTuple):
    """What a chunk's names and relations mean; a name or relation that is not there stays as it is written."""

    items: Mapping[Name, IndexedItem]
    property: Callable[[str], IndexedItem | None]
    reference: Wikidata


def linkable(entity: Entity) -> bool:
    """Whether an end can mean an item: numbers and dates never do, nor what its source types unlike its words."""
    return entity.kind == "entity" and entity.id == f"local:{entity.label}"


def rewritten(chunk: StatedChunk, meaning: ChunkMeanings) -> StatedChunk:
    """Return a chunk with linked statements and mentions."""
    statements = tuple(_statement(one, meaning) for one in chunk.statements)
    mentions = tuple(
        Mention(entity=_named(one.entity, meaning), start=one.start, end=one.end) for one in chunk.mentions
    )
    return chunk.model_copy(update={"statements": statements, "mentions": mentions})


def _statement(given: LinkedTriplet, meaning: ChunkMeanings) -> LinkedTriplet:
    """A linked statement; one that would say something of itself ("NYC is New York City") keeps its names.

    A relation that a schema was followed for is settled: it is a property already, or stays open.
    """
    subject, obj = (_end(end, meaning) for end in (given.subject, given.object))
    if subject.id == obj.id and given.subject.id != given.object.id:
        subject, obj = given.subject, given.object
    known = meaning.property(given.relation) if given.relation == (given.said or given.relation) else None
    if known and _reversed(subject, known, obj, meaning.reference):
        known = None
    relation, label = (id_of(known.number), known.label) if known else (given.relation, given.label)
    told = (given.subject.label, given.relation, given.object.label)
    linked = given.model_copy(
        update={
            "subject": subject,
            "relation": relation,
            "label": label,
            "object": obj,
            "written": told if told != (subject.label, relation, obj.label) else None,
        }
    )
    return linked.model_copy(update={"novel": novel(linked, meaning.reference)})


def _end(end: Entity, meaning: ChunkMeanings) -> Entity:
    item = meaning.items.get((end.label, end.type)) if linkable(end) else None
    return _entity(item, end.type, meaning.reference) if item else end


def _named(named: Entity, meaning: ChunkMeanings) -> Entity:
    """What a name of the text means: the same as where a fact has it, if one does."""
    if not linkable(named):
        return named
    same = {type_ or "": item for (label, type_), item in meaning.items.items() if label == named.label}
    return _entity(same[min(same)], None, meaning.reference) if same else named


def _entity(item: IndexedItem, type_: str | None, index: Wikidata) -> Entity:
    """The entity of an item, the same wherever it is named; its class is the source's where the index has none."""
    classes = index.items(item.types[:1])
    known = "person" if HUMAN in item.types else next((one.label for one in classes.values() if one.label), type_)
    return Entity(
        id=id_of(item.number),
        label=item.label,
        kind="entity",
        type=known,
        description=item.description or None,
        aliases=item.aliases[:MOST_ALIASES],
    )


def _reversed(subject: Entity, known: IndexedItem, obj: Entity, index: Wikidata) -> bool:
    """Whether the reference says the property of the ends the other way round only: a capital is no capital's subject.

    Told by its claims of the two, else by each end's part in its other claims of the property.
    """
    first, last = number(subject.id), number(obj.id)
    if first is None or last is None:
        return False
    there, back = index.claims_between(first, last), index.claims_between(last, first)
    if -known.number in there or -known.number in back:
        return -known.number not in there
    fits, turned = (
        [
            index.served(end, -known.number, subject=part, limit=1)
            for end, part in zip((first, last), parts, strict=True)
        ]
        for parts in ((True, False), (False, True))
    )
    return not any(fits) and all(turned)
