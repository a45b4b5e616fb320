"""The chunk after linking: names become items, relations become properties, and the written words are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from kgservice.core.records import Entity, LinkedTriplet, Mention, StatedChunk
from kgservice.linking.candidate_score import HUMAN
from kgservice.linking.novelty import novel
from kgservice.linking.wikidata_dump import name as id_of
from kgservice.linking.wikidata_dump import number
from kgservice.linking.wikidata_index import IndexedItem, Wikidata

MOST_ALIASES = 20  # aliases that an entity keeps

Name: TypeAlias = tuple[str, str | None]
"""A name in a chunk with the type that the source gives it."""


class ChunkMeanings(NamedTuple):
    """The meanings of a chunk's names and relations. One without a meaning keeps its words."""

    items: Mapping[Name, IndexedItem]
    property: Callable[[str], IndexedItem | None]
    reference: Wikidata


def linkable(entity: Entity) -> bool:
    """Return whether an end can mean an item. Numbers, dates and ends with an id of their source cannot."""
    return entity.kind == "entity" and entity.id == f"local:{entity.label}"


def rewritten(chunk: StatedChunk, meaning: ChunkMeanings) -> StatedChunk:
    """Return a chunk with linked statements and mentions."""
    statements = tuple(_statement(mention, meaning) for mention in chunk.statements)
    mentions = tuple(
        Mention(entity=_named(mention.entity, meaning), start=mention.start, end=mention.end)
        for mention in chunk.mentions
    )
    return chunk.model_copy(update={"statements": statements, "mentions": mentions})


def _statement(statement: LinkedTriplet, meaning: ChunkMeanings) -> LinkedTriplet:
    """Return a linked statement. One about itself after linking ("NYC is New York City") keeps its names.

    A relation that a schema has mapped is final: it is a property already, or stays open.
    """
    subject, obj = (_end(end, meaning) for end in (statement.subject, statement.object))
    if subject.id == obj.id and statement.subject.id != statement.object.id:
        subject, obj = statement.subject, statement.object
    prop = (
        meaning.property(statement.relation) if statement.relation == (statement.said or statement.relation) else None
    )
    if prop and _reversed(subject, prop, obj, meaning.reference):
        prop = None
    relation, label = (id_of(prop.number), prop.label) if prop else (statement.relation, statement.label)
    written = (statement.subject.label, statement.relation, statement.object.label)
    linked = statement.model_copy(
        update={
            "subject": subject,
            "relation": relation,
            "label": label,
            "object": obj,
            "written": written if written != (subject.label, relation, obj.label) else None,
        }
    )
    return linked.model_copy(update={"novel": novel(linked, meaning.reference)})


def _end(end: Entity, meaning: ChunkMeanings) -> Entity:
    item = meaning.items.get((end.label, end.type)) if linkable(end) else None
    return _entity(item, end.type, meaning.reference) if item else end


def _named(entity: Entity, meaning: ChunkMeanings) -> Entity:
    """Return the meaning of a mention: the same as in a fact of the chunk, if there is one."""
    if not linkable(entity):
        return entity
    same = {type_ or "": item for (label, type_), item in meaning.items.items() if label == entity.label}
    return _entity(same[min(same)], None, meaning.reference) if same else entity


def _entity(item: IndexedItem, type_: str | None, index: Wikidata) -> Entity:
    """Return the entity of an item, the same wherever it is named. Its class is the source's if the index has none."""
    classes = index.items(item.types[:1])
    type_of = (
        "person"
        if HUMAN in item.types
        else next((item_class.label for item_class in classes.values() if item_class.label), type_)
    )
    return Entity(
        id=id_of(item.number),
        label=item.label,
        kind="entity",
        type=type_of,
        description=item.description or None,
        aliases=item.aliases[:MOST_ALIASES],
    )


def _reversed(subject: Entity, prop: IndexedItem, obj: Entity, index: Wikidata) -> bool:
    """Return whether the reference has the property only in the other direction: a capital has no capital.

    Its claims between the two decide, else the role of each end in its other claims of the property.
    """
    first, last = number(subject.id), number(obj.id)
    if first is None or last is None:
        return False
    there, back = index.claims_between(first, last), index.claims_between(last, first)
    if -prop.number in there or -prop.number in back:
        return -prop.number not in there
    fits, turned = (
        [index.served(end, -prop.number, subject=part, limit=1) for end, part in zip((first, last), parts, strict=True)]
        for parts in ((True, False), (False, True))
    )
    return not any(fits) and all(turned)
