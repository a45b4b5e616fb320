"""What the relation reader finds in the sentences that the rules have gone through, as triplets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Protocol

from kgservice.core.records import Term, Triplet
from kgservice.core.schema import DEFAULT, Relation, Schema, load_schema
from kgservice.extraction.phrasebook import phrasebook
from kgservice.extraction.syntax.coreference import Focus
from kgservice.extraction.syntax.fact_ends import Met
from kgservice.extraction.syntax.proper_names import NamedEnd
from kgservice.names.local_entities import entity
from kgservice.text.values import typed

if TYPE_CHECKING:
    from kgservice.extraction.relation_reader import RelationReader

BELIEVED = 0.01  # probability below which the reader doubts a rule's relation

_AND = re.compile(r",? (?:and|or|&) (?:the )?")


class Heard(Protocol):
    """What the rules know of a text when they have read it."""

    met: list[Met]
    refused: set[frozenset[str]]
    focus: Focus


def joined(pairs: RelationReader, heard: Heard) -> Iterator[Triplet]:
    """Yield the relations between the ends of each sentence; a relation is an id of the schema.

    Two ends of which the rules saw something denied, doubted or only claimed are left alone, and so are those that the
    text itself calls something that the relation cannot join ("Solaris is a film" has no place of birth). What the
    recogniser takes names for decides nothing: of pairs that it speaks against as many are right as of others.
    """
    schema = load_schema()
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
                if schema is None or not _may_join(schema, subject, found.relation, obj):
                    continue
                before = [(end.start - start, end.end - start, end.name) for end in ends if end.name is not None]
                if _says_where(schema, schema.relations[found.relation], text, places[found.object][:2], before):
                    continue
                yield Triplet(subject=subject, relation=found.relation, object=obj, sentence=written)


def doubted(pairs: RelationReader, met: Sequence[Met], triplet: Triplet) -> str | None:
    """Return the schema's relation that the words of a rule's triplet mean if the reader does not believe it.

    "Ada in Sweden, Bo in Norway" places no Norway in Bo. Asked are relations that people's texts taught the reader, of
    ends that it sees in the sentence.
    """
    book = phrasebook(DEFAULT)
    if book is None:
        return None
    meaning = book.meaning(triplet.relation, entity(triplet.subject), entity(triplet.object))
    if isinstance(meaning, str):
        return None
    taught = pairs.taught.relations
    inverse = meaning.relation.inverse
    relation = meaning.relation.id if meaning.relation.id in taught else inverse
    if relation not in taught or not pairs.taught.marked[taught.index(relation)]:
        return None
    turned = meaning.turned == (relation != inverse)
    labels = (triplet.subject.label, triplet.object.label)[:: -1 if turned else 1]
    either = (labels, labels[::-1] if meaning.relation.symmetric else labels)
    likely = []
    for sentence in met:
        if sentence.written == triplet.sentence:
            places = [(end.start - sentence.start, end.end - sentence.start, end.kind) for end in sentence.ends]
            names = [end.name.label if end.name is not None else None for end in sentence.ends]
            asked = [pair for pair in permutations(range(len(names)), 2) if (names[pair[0]], names[pair[1]]) in either]
            likely += [pairs.probability(sentence.text, places, relation, asked)] if asked else []
    return meaning.relation.id if likely and max(likely) < BELIEVED else None


def _may_join(schema: Schema, subject: Term, relation: str, obj: Term) -> bool:
    known = schema.relations[relation]
    range_ = obj.type if obj.kind == "entity" else obj.kind
    return bool(schema.fit(subject.type, known.domain) and schema.fit(range_, known.range))


def _says_where(
    schema: Schema, relation: Relation, text: str, place: tuple[int, int], ends: Sequence[tuple[int, int, NamedEnd]]
) -> bool:
    """Whether a place only says where the place before it lies: "born in Vienna, Austria", but no list of places."""
    if relation.within or not schema.fit("place", relation.range):
        return False
    before = [name for _, end, name in ends if text[end : place[0]] == ", "]
    if not any(name.kind == "entity" and name.type in ("place", None) for name in before):
        return False
    end = place[1]
    for start, after, _ in sorted(ends, key=lambda one: one[:2]):
        between = text[end:start] if start >= end else ""
        if _AND.fullmatch(between):
            return False
        if between == ", ":
            end = after
    return True


def term(name: NamedEnd, focus: Focus) -> Term:
    """Return an end of a triplet, a date or a number with its value."""
    if name.kind != "entity":
        return typed(Term(label=name.label))
    return Term(label=name.label, kind="entity", type=focus.class_of(name))
