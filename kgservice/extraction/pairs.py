"""What the relation reader finds in the sentences that the rules have gone through, as triplets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from kgservice.extraction.ends import Met
from kgservice.extraction.focus import Focus
from kgservice.extraction.names import Name
from kgservice.model import Term, Triplet
from kgservice.values import typed

if TYPE_CHECKING:
    from kgservice.extraction.relation_reader import RelationReader


class Heard(Protocol):
    """What the rules know of a text when they have read it."""

    met: list[Met]
    refused: set[frozenset[str]]
    focus: Focus


def joined(pairs: RelationReader, heard: Heard) -> Iterator[Triplet]:
    """Yield the relations between the ends of each sentence; a relation is an id of the schema.

    Two ends of which the rules saw something denied, doubted or only claimed are left alone.
    """
    for text, start, ends, written in heard.met:
        named = [end.name is not None for end in ends]
        if sum(named) < 2:
            continue
        places = [(end.start - start, end.end - start, end.kind) for end in ends]
        for found in pairs.read(text, places, named):
            one, other = ends[found.subject].name, ends[found.object].name
            if one is None or other is None or one.label in other.label or other.label in one.label:
                continue  # a thing and itself, or a part of the longer name
            if frozenset((one.label, other.label)) not in heard.refused:
                subject, obj = term(one, heard.focus), term(other, heard.focus)
                yield Triplet(subject=subject, relation=found.relation, object=obj, sentence=written)


def term(name: Name, focus: Focus) -> Term:
    """Return an end of a triplet, a date or a number with its value."""
    if name.kind != "entity":
        return typed(Term(label=name.label))
    return Term(label=name.label, kind="entity", type=focus.class_of(name))
