"""What the relation reader finds in the sentences that the rules have gone through, as triplets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from kgservice.core.records import Term, Triplet
from kgservice.core.schema import DEFAULT, Relation, Schema, load_schema
from kgservice.extraction.phrasebook import phrasebook
from kgservice.extraction.syntax.coreference import Focus
from kgservice.extraction.syntax.fact_ends import End, Met
from kgservice.extraction.syntax.name_spans import RANKS
from kgservice.extraction.syntax.proper_names import NamedEnd
from kgservice.names.countries import country
from kgservice.names.local_entities import entity
from kgservice.text.values import typed

if TYPE_CHECKING:
    from kgservice.extraction.relation_reader import Joined, RelationReader

BELIEVED = 0.2  # probability from which on the reader believes a rule's relation
NEVER = 1 / (1 + math.exp(6))  # no probability counts as less
PERHAPS = 0.3  # from which on the reader may mean a relation, though it does not state it
EMPLOYER, FOUNDED_BY = "P108", "P112"
FAR = 150  # characters between two ends, beyond which the reader is often wrong
ALIKE = 0.9  # of a probability: another that is as high may be the right one
ONE = ("one", "one at a time")

_AND = re.compile(r",? (?:and|or|&) (?:the )?")


class Heard(Protocol):
    """What the rules know of a text when they have read it."""

    met: list[Met]
    refused: set[frozenset[str]]
    focus: Focus


def joined(pairs: RelationReader, heard: Heard) -> Iterator[Triplet]:
    """Yield the relations between the ends of each sentence; a relation is an id of the schema.

    Two ends of which the rules saw something denied, doubted or only claimed are left alone, and so are those that the
    text itself calls something that the relation cannot join ("Solaris is a film" has no place of birth), and a rank
    behind a name ("Arnulf, Count of Holland"). A country is one by its name or by what the text calls it, and who
    founded something is not read as its employee. What the recogniser takes names for decides nothing: of pairs that it
    speaks against as many are right as of others.
    """
    schema = load_schema()
    for text, start, ends, written in heard.met:
        if sum(end.name is not None for end in ends) < 2:
            continue
        places = [(end.start - start, end.end - start, end.kind) for end in ends]
        for found in _sure(pairs, schema, text, places, ends):
            one, other = ends[found.subject].name, ends[found.object].name
            if one is None or other is None or one.label in other.label or other.label in one.label:
                continue  # a thing and itself, or a part of the longer name
            if any(_is_part(text, places[end], ends[end].name) for end in (found.subject, found.object)):
                continue
            if frozenset((one.label, other.label)) not in heard.refused:
                subject, obj = term(one, heard.focus), term(other, heard.focus)
                if schema is None or not _may_join(schema, subject, found.relation, obj):
                    continue
                before = [(end.start - start, end.end - start, end.name) for end in ends if end.name is not None]
                if _says_where(schema, schema.relations[found.relation], text, places[found.object][:2], before):
                    continue
                sure = round(found.probability, 3)
                yield Triplet(subject=subject, relation=found.relation, object=obj, sentence=written, confidence=sure)


class Opinion(NamedTuple):
    """What the reader thinks of the relation that a rule's statement means: how likely, and by whose texts it knows."""

    relation: str
    by: Literal["people", "phrases"]  # marked texts, or made-up sentences alone
    probability: float

    @property
    def doubted(self) -> str | None:
        """The relation if the reader, taught by people, does not believe it.

        Of 54 judged questions that rest on such relations 6 of the 11 that it does not believe were wrong, and 2 of the
        other 43.
        """
        return self.relation if self.by == "people" and self.probability < BELIEVED else None

    @property
    def features(self) -> dict[str, float]:
        """What a statement's confidence is judged by: that there is an opinion, and its log odds, at most 6 from 0."""
        sure = math.log(max(self.probability, NEVER) / max(1 - self.probability, NEVER))
        return {f"taught by {self.by}": 1.0, f"belief by {self.by}": sure}


def opinion(pairs: RelationReader, met: Sequence[Met], triplet: Triplet) -> Opinion | None:
    """Return what the reader thinks of the schema's relation that a rule's triplet means.

    "Ada in Sweden, Bo in Norway" places no Norway in Bo. It has no opinion of relations that it does not know, and of
    ends that it does not see in the sentence.
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
    if relation not in taught:
        return None
    turned = meaning.turned == (relation != inverse)
    labels = (triplet.subject.label, triplet.object.label)[:: -1 if turned else 1]
    either = (labels, labels[::-1] if meaning.relation.symmetric else labels)
    by: Literal["people", "phrases"] = "people" if pairs.taught.marked[taught.index(relation)] else "phrases"
    for sentence in met:  # the first with both ends: a text may repeat a sentence a thousand times
        if sentence.written == triplet.sentence:
            places = [(end.start - sentence.start, end.end - sentence.start, end.kind) for end in sentence.ends]
            names = [end.name.label if end.name is not None else None for end in sentence.ends]
            asked = [pair for pair in permutations(range(len(names)), 2) if (names[pair[0]], names[pair[1]]) in either]
            if asked:
                return Opinion(meaning.relation.id, by, pairs.probability(sentence.text, places, relation, asked))
    return None


def _may_join(schema: Schema, subject: Term, relation: str, obj: Term) -> bool:
    known = schema.relations[relation]
    range_ = obj.type if obj.kind == "entity" else obj.kind
    if known.range == ("country",) and schema.fit(range_, known.range) < 2 and country(obj.label) is None:
        return schema.entity_class(obj.label) == "country"  # "the Ottoman Empire"
    return bool(schema.fit(subject.type, known.domain) and schema.fit(range_, known.range))


def _sure(
    pairs: RelationReader,
    schema: Schema | None,
    text: str,
    places: Sequence[tuple[int, int, str]],
    ends: Sequence[End],
) -> Iterator[Joined]:
    """Yield the relations of a sentence that are as likely as stated, between ends that are not far from each other.

    Where the schema says that a side has one at a time, and another end of the sentence is about as likely, none is.
    """
    likely = pairs.read(text, places, [True] * len(ends), PERHAPS)
    founders = {(each.object, each.subject) for each in likely if each.relation == FOUNDED_BY}
    for found in likely:
        one, other = places[found.subject], places[found.object]
        if found.probability < pairs.stated or max(one[0] - other[1], other[0] - one[1]) > FAR:
            continue
        if found.relation == EMPLOYER and (found.subject, found.object) in founders:
            continue
        if schema is None or not any(_rivals(schema.relations[found.relation], found, each, ends) for each in likely):
            yield found


def _rivals(relation: Relation, found: Joined, other: Joined, ends: Sequence[End]) -> bool:
    """Whether only one of two may be true of a side that has one member, and the other is about as likely."""
    if other.relation != found.relation or other.probability < ALIKE * found.probability:
        return False
    if "place" in relation.range:  # a city and its country are no rivals
        return False
    either = [(other.subject, other.object)]
    if relation.symmetric:
        either.append((other.object, other.subject))
    return any(
        (_same(ends, subject, found.subject) and not _same(ends, obj, found.object) and relation.objects in ONE)
        or (_same(ends, obj, found.object) and not _same(ends, subject, found.subject) and relation.subjects in ONE)
        for subject, obj in either
    )


def _same(ends: Sequence[End], one: int, other: int) -> bool:
    """Whether two ends are one, or have one name."""
    names = ends[one].name, ends[other].name
    return one == other or (names[0] is not None and names[1] is not None and names[0].label == names[1].label)


def _is_part(text: str, place: tuple[int, int, str], name: NamedEnd | None) -> bool:
    """Whether an end is no whole name: "Grammy winner", or the rank of the name before it: "Arnulf, Count of …"."""
    words = name.label.split() if name is not None else []
    rank = bool(words) and words[0] in RANKS and "of" in words and text[: place[0]].endswith(", ")
    return rank or (name is not None and name.kind == "entity" and words[-1][0].islower())


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
