"""From words to relations: which relation of a schema a statement's words mean, and which way round.

A phrase of the schema and a statement say the same where they have the same words, but for tense, articles and adverbs
("was born in", "is born in"). Where several relations are said alike ("X is in Y"), the classes of the ends decide;
where these leave it open, the order of the schema's file. What no relation is said like
stays as it is, an open relation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Entity, LinkedTriplet
from kgservice.core.schema import OPEN, Relation, Schema, load_schema
from kgservice.resolution.relations import words
from kgservice.text.english import NO_ADVERBS, PREPOSITIONS

MAPPED, UNKNOWN = "in the schema", "words of no relation"

_END = re.compile(r"\b[XY]\b")
_WHERE = frozenset(("in", "on", "at"))
_HOLDING = frozenset("act appoint become elect hire make name promote serve work".split())
_OF = ("of", "at", "for", "to", "with")  # "CEO of", "professor at", "spokesman for", "successor to"
_ADVERB = re.compile(r"\w{3,}ly")
_IDLE = frozenset("also now still then soon later often its his her their".split())
_KEPT = NO_ADVERBS | {"formerly", "previously"}


class RelationMeaning(NamedTuple):
    """A relation that words mean; `turned`: their subject is its object."""

    relation: Relation
    turned: bool


class Phrasebook:
    """The phrases of a schema, by their words."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._meanings: dict[tuple[str, ...], list[RelationMeaning]] = defaultdict(list)
        for one in schema.relations.values():
            for phrase, turned in phrases(one):
                meaning = RelationMeaning(one, turned)
                if meaning not in self._meanings[form(phrase)]:
                    self._meanings[form(phrase)].append(meaning)

    def put(self, given: Iterable[LinkedTriplet]) -> tuple[tuple[LinkedTriplet, ...], Counter[str]]:
        """Return statements with the schema's relations, open where it has none, and how many ended how.

        Two statements that come to the same ("X directed Y", "Y was directed by X") stay two: each says where.
        """
        counts, found = Counter[str](), list[LinkedTriplet]()
        for one in given:
            meaning = self.meaning(one.relation.removeprefix(OPEN), one.subject, one.object)
            counts[meaning if isinstance(meaning, str) else MAPPED] += 1
            if isinstance(meaning, str):
                found.append(one.model_copy(update={"relation": OPEN + one.label}))
            else:
                found.append(self._meant(one, meaning))
        return tuple(found), counts

    def _meant(self, given: LinkedTriplet, meaning: RelationMeaning) -> LinkedTriplet:
        """The statement as it is stored: of two inverse relations one."""
        id_, inverted = self._schema.stored(meaning.relation.id)
        known = self._schema.relations[id_]
        ends = (given.subject, given.object) if meaning.turned == inverted else (given.object, given.subject)
        said = known.label if given.relation in self._schema.relations else given.said  # an id is nobody's words
        stored = {"relation": id_, "label": known.label, "mirrored": known.symmetric, "said": said}
        return given.model_copy(update=stored | {"subject": ends[0], "object": ends[1]})

    def meaning(self, relation: str, subject: Entity, obj: Entity) -> RelationMeaning | str:
        """Return what a relation's words mean between these ends, or why they mean none of the schema's relations."""
        known = self._schema.relations.get(relation)
        said = form(relation)
        meanings = [RelationMeaning(known, False)] if known else self._meanings.get(said, [])
        if not meanings and len(said) > 1 and said[-1] in _WHERE and self._schema.entity_class(said[-2]):
            subject = subject.model_copy(update={"type": said[-2]})  # "is a park in": it is in, and is a park
            meanings = self._meanings.get(said[-1:], [])
        if not meanings:
            return UNKNOWN
        fits = [self._fit(one, subject, obj) for one in meanings]
        best = max(range(len(fits)), key=lambda at: (bool(fits[at][0] and fits[at][1]), sum(fits[at]), -at))
        if all(fits[best]):
            return meanings[best]
        return "object of another class" if fits[best][0] else "subject of another class"

    def _fit(self, meaning: RelationMeaning, subject: Entity, obj: Entity) -> tuple[int, int]:
        """How well the ends fit the classes that the relation wants of them, subject first, as they are stated."""
        domain, range_ = meaning.relation.domain, meaning.relation.range
        if meaning.turned:
            domain, range_ = range_, domain
        return self._schema.fit(_type(subject), domain), self._schema.fit(_type(obj), range_)


@lru_cache(maxsize=8)
def phrasebook(schema: str) -> Phrasebook | None:
    """Return the phrases of a schema by its name (default, a file), None for none (BadRequest)."""
    found = load_schema(schema)
    return Phrasebook(found) if found else None


def phrases(relation: Relation) -> list[tuple[str, bool]]:
    """Return the words that state a relation, each with whether their subject is the relation's object."""
    found = [(relation.label, False)]
    for phrase in relation.phrases:
        before, between, after = _END.split(phrase)
        found.append((f"{before} {between} {after}", phrase.index("Y") < phrase.index("X")))
    for noun in (relation.label, *relation.object_nouns):
        found += [(noun, False), (f"has {noun}", False), (f"has {noun} of", False)]
        found += [(f"is {noun} {preposition}", True) for preposition in _OF]
    for noun in relation.subject_nouns:
        found += [(noun, True), (f"has {noun}", True)]
        found += [(f"is {noun} {preposition}", False) for preposition in (*_OF, "in")]
    return found


@lru_cache(maxsize=65536)
def form(relation: str) -> tuple[str, ...]:
    """Return a relation's words as phrases are compared by.

    >>> form("was originally located in"), form("is the capital of"), form("was formerly mayor of")
    (('locate', 'in'), ('capital', 'of'), ('formerly', 'mayor', 'of'))
    >>> form("was appointed mayor of"), form("serves as mayor of"), form("works for")
    (('mayor', 'of'), ('mayor', 'of'), ('work', 'for'))
    """
    said = words(" ".join(word for word in relation.replace("_", " ").split() if not _is_idle(word.lower())))
    if len(said) < 3 or said[0] not in _HOLDING or said[1] in PREPOSITIONS - {"as"}:
        return said
    return said[1 + (said[1] == "as") :]


def _is_idle(word: str) -> bool:
    return word in _IDLE or (_ADVERB.fullmatch(word) is not None and word not in _KEPT)


def _type(end: Entity) -> str | None:
    return end.type if end.kind == "entity" else end.kind
