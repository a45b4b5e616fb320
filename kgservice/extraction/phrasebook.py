"""The mapping from words to relations of a schema, and the direction they give.

A phrase of the schema matches a statement with the same words, apart from tense, articles and adverbs ("was born in",
"is born in"). If several relations share a phrase ("X is in Y"), the classes of the ends decide, then the order of the
schema's file. A statement that matches nothing keeps an open relation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Entity, LinkedTriplet
from kgservice.core.schema import OPEN, Relation, Schema, load_schema
from kgservice.extraction.syntax.clauses import PLACED
from kgservice.names.countries import is_continent, is_country, is_province
from kgservice.text.english import NO_ADVERBS, PREPOSITIONS, is_agent
from kgservice.text.inflection import base, is_past
from kgservice.text.values import read_value

MAPPED, UNKNOWN, DOUBTED = "in the schema", "words of no relation", "doubted by the relation reader"

_NAMED = frozenset("person organization place work event award".split())
_COMMON = frozenset("sport instrument occupation material".split())  # classes of what is written small
_END = re.compile(r"\b[XY]\b")
_WORD = re.compile(r"[^\W_]+")
_BE = frozenset("is was are were be been being".split())
_SAID_ANYWAY = _BE | frozenset("which that who whose a an the and also".split())
NAMING = frozenset(
    "called named titled nicknamed dubbed entitled termed".split()
)  # the passive keeps its form: "is called" is not "calls"
_WHERE = frozenset(("in", "on", "at"))
HOLDING = frozenset(  # verbs of coming into a post or holding it
    "act appoint become choose continue elect hire inaugurate install make name promote reappoint reelect remain "
    "return serve start work".split()
)
_OF = ("of", "at", "for", "to", "with")  # "CEO of", "professor at", "spokesman for", "successor to"
_ADVERB = re.compile(r"\w{3,}ly")
_AWARDS = ("P166", "P1346")
_DEGREE = re.compile(  # which a university awards, and which is no prize: "M.Sc.", "PhD", "Master of Arts"
    r"Ph\.? ?D\.?|[BMD]\.? ?(?:A|B|Sc|S|Ed|Eng|Phil|Litt|BA)\.?|LL\.? ?[BMD]\.?|"
    r"(?:Bachelor|Master|Doctor)(?:['’]s degree| of [A-Z].*)"
)
_PREFIX = re.compile(rf"\bco-(?=[a-z])|\bre-(?=(?:{'|'.join(HOLDING)}))")  # "co-founded", "re-elected mayor of"
_IDLE = frozenset("also now still then soon later often its his her their".split())
_FORMERLY = frozenset(("formerly", "previously"))
_KEPT = NO_ADVERBS | _FORMERLY


class RelationMeaning(NamedTuple):
    """The relation that words mean. `turned`: their subject is its object."""

    relation: Relation
    turned: bool

    @property
    def persons(self) -> tuple[bool, bool]:
        """Whether the subject and the object of the words can be nothing but persons."""
        ends = self.relation.domain == ("person",), self.relation.range == ("person",)
        return ends[::-1] if self.turned else ends


class Phrasebook:
    """The phrases of a schema by their words."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._meanings: dict[tuple[str, ...], list[RelationMeaning]] = defaultdict(list)
        self._nouns: dict[tuple[str, ...], set[str]] = defaultdict(set)  # ids of the relations that a noun names
        self._written: dict[str, set[str]] = defaultdict(set)  # the same by the noun as it is written
        self._stated: dict[tuple[tuple[str, ...], bool], set[str]] = defaultdict(set)  # by words between, and if past
        for relation in schema.relations.values():
            for noun in (relation.label, *relation.object_nouns, *relation.subject_nouns):
                self._nouns[form(noun)].add(relation.id)
                self._written[noun.lower()].add(relation.id)
            for phrase in relation.phrases:
                between = _END.sub(" ", phrase).strip()
                self._stated[form(between), is_past(between)].add(relation.id)
            for phrase, turned in phrases(relation):
                meaning = RelationMeaning(relation, turned)
                if meaning not in self._meanings[form(phrase)]:
                    self._meanings[form(phrase)].append(meaning)

    def put(self, triplets: Iterable[LinkedTriplet]) -> tuple[tuple[LinkedTriplet, ...], Counter[str]]:
        """Return triplets with the schema's relations, open if there is none, and counts by result.

        Two statements that become the same fact ("X directed Y", "Y was directed by X") stay two, each with its place.
        """
        counts, mapped = Counter[str](), list[LinkedTriplet]()
        for triplet in triplets:
            meaning = self.meaning(triplet.relation.removeprefix(OPEN), triplet.subject, triplet.object)
            if not isinstance(meaning, str) and meaning.relation.id == triplet.doubted:
                meaning = DOUBTED
            if not isinstance(meaning, str) and triplet.cell and self._is_verb(triplet.relation, meaning.relation):
                meaning = UNKNOWN
            counts[meaning if isinstance(meaning, str) else MAPPED] += 1
            if isinstance(meaning, str):
                known = self._schema.relations.get(triplet.label)  # an id whose ends do not fit is no wording
                words = {"label": known.label, "said": known.label} if known else {}
                mapped.append(triplet.model_copy(update=words | {"relation": OPEN + words.get("label", triplet.label)}))
            else:
                mapped.append(self._meant(triplet, meaning))
        return tuple(mapped), counts

    def _is_verb(self, heading: str, relation: Relation) -> bool:
        """Whether a table's heading of one word means a relation only as a verb: "Date" is no one who dates."""
        said = form(heading.removeprefix(OPEN))
        return len(said) == 1 and heading not in self._schema.relations and relation.id not in self._nouns.get(said, ())

    def _meant(self, triplet: LinkedTriplet, meaning: RelationMeaning) -> LinkedTriplet:
        """Return the triplet as stored, under one of two inverse relations."""
        id_, inverted = self._schema.stored(meaning.relation.id)
        relation = self._schema.relations[id_]
        ends = (triplet.subject, triplet.object) if meaning.turned == inverted else (triplet.object, triplet.subject)
        said = relation.label if triplet.relation in self._schema.relations else triplet.said  # an id is not wording
        stored = {"relation": id_, "label": relation.label, "mirrored": relation.symmetric, "said": said}
        return triplet.model_copy(update=stored | {"subject": ends[0], "object": ends[1]})

    def meaning(self, relation: str, subject: Entity, obj: Entity) -> RelationMeaning | str:
        """Return the meaning of a relation's words between these ends, or the reason why the schema has none."""
        own = self._schema.relations.get(relation)
        said = form(relation)
        if said == ("have",) and obj.kind == "number" and obj.unit:
            said = form(f"has {obj.unit}")  # "has 300 employees" states the employees
        meanings = self._alike(own) if own else self._meanings.get(said, [])
        if not meanings and _FORMERLY.intersection(said):
            meanings = self._formerly(said)
        if not own and len(said) == 1 and (is_past(relation) or relation.endswith("ing")):  # "ordered", "set"
            tenses = (True,) if is_past(relation) else (True, False)  # who "sold" a business does not make it
            known = self._written.get(relation.lower(), set())
            known = known.union(*(self._stated.get((said, past), ()) for past in tenses))
            meanings = [each for each in meanings if each.relation.id in known]
        if not meanings and len(said) > 1 and said[-1] in _WHERE and self._schema.entity_class(said[-2]):
            subject = subject.model_copy(update={"type": said[-2]})  # "is a park in" states the class and "in"
            meanings = self._meanings.get(said[-1:], [])
        if not meanings and _FORMERLY.isdisjoint(said):
            meanings = self._of_agent(said)
        if not meanings:
            return UNKNOWN
        fits = [self._fit(each, subject, obj) for each in meanings]
        best = max(range(len(fits)), key=lambda at: (bool(fits[at][0] and fits[at][1]), sum(fits[at]), -at))
        if all(fits[best]):
            return meanings[best]
        return "object of another class" if fits[best][0] else "subject of another class"

    def _formerly(self, said: tuple[str, ...]) -> list[RelationMeaning]:
        """Return what words mean without "formerly", but no relation of one at a time: a former member, no mayor.

        Such a one stays where the schema asks of the past: "For which team did X play?".
        """
        kept = tuple(word for word in said if word not in _FORMERLY)
        meanings = self._meanings.get(kept, []) if PLACED.isdisjoint(kept) else []
        if not meanings:
            meanings = self._of_agent(kept)
        once = "one at a time"
        return [
            each
            for each in meanings
            if once not in (each.relation.objects, each.relation.subjects)
            or any("did" in asked.split() for asked in each.relation.ask_object)
        ]

    def _of_agent(self, said: tuple[str, ...]) -> list[RelationMeaning]:
        """Return what "is zoologist at" means: works at."""
        agent = len(said) > 1 and said[-1] == "at" and is_agent(said[-2])
        return self._meanings.get(("work", "at"), []) if agent else []

    def _alike(self, relation: Relation) -> list[RelationMeaning]:
        """Return a relation and those with its phrase but a narrower object.

        "located in" a country means the country of a place.
        """
        said = form(_END.sub(" ", relation.phrases[0])) if relation.phrases else ()
        narrower = [
            meaning
            for meaning in self._meanings.get(said, ())
            if not meaning.turned and not set(meaning.relation.range) & set(relation.range)
            if all(self._schema.fit(own, relation.range) > 1 for own in meaning.relation.range)
        ]
        return [RelationMeaning(relation, False), *narrower]

    def _fit(self, meaning: RelationMeaning, subject: Entity, obj: Entity) -> tuple[int, int]:
        """Return how well subject and object, in this order, fit the classes of the relation, each from 0 up."""
        domain, range_ = meaning.relation.domain, meaning.relation.range
        if meaning.turned:
            domain, range_ = range_, domain
        degrees = [_DEGREE.fullmatch(end.label) for end in (subject, obj)]
        if meaning.relation.id in _AWARDS and any(degrees):
            return int(not degrees[0]), int(not degrees[1])
        return self._fit_end(subject, domain), self._fit_end(obj, range_)

    def _are_named(self, classes: Sequence[str]) -> bool:
        """Whether what is of these classes has a name with a capital."""
        return all(_NAMED.intersection((name, *self._schema.broadest(name))) for name in classes)

    def _fit_end(self, end: Entity, classes: Sequence[str]) -> int:
        """Return how well an end fits classes; "valuation allowances" are nobody's album."""
        if end.kind == "entity" and end.type is None and read_value(end.label)[0] == "number":
            return self._schema.fit("number", classes)  # "19.9 million units"
        if end.kind == "entity" and end.type is None and _is_phrase(end.label) and self._are_named(classes):
            return 0
        if "school" in classes and is_event(self._schema, _type(end), end.label):
            return 0
        of_land = tuple(classes) == ("country",) and is_province(end.label)
        if of_land or (tuple(classes) == ("continent",) and not is_continent(end.label)):
            return 0
        own = _type(end) or self._schema.named_class(end.label)
        if own is None and _COMMON.issuperset(classes) and _is_capital(end.label):
            return 0  # nobody plays Karol Beck or Edinburgh
        return self._schema.fit(own, classes)


def is_event(schema: Schema, type_: str | None, label: str) -> bool:
    """Return whether a name's noun says that it is an event, whatever the recogniser takes it for: "Met Gala"."""
    return type_ in (None, "event", "organization", "place") and schema.named_class(label) == "event"


def _is_phrase(label: str) -> bool:
    """Whether a label is words of the dictionary without a capital; one such word may be a name in small letters."""
    if label != label.lower():
        return False
    from simplemma import is_known  # a dictionary, read at the first word

    said = re.findall(r"[^\W\d_]+", label)
    return len(said) > 1 and all(is_known(word, lang="en") for word in said)


def _is_capital(label: str) -> bool:
    return all(word[0].isupper() for word in label.split())


@lru_cache(maxsize=8)
def phrasebook(schema: str) -> Phrasebook | None:
    """Return the phrasebook of a schema by name (default, a file), or None for "none". Raises BadRequest."""
    loaded = load_schema(schema)
    return Phrasebook(loaded) if loaded else None


def phrases(relation: Relation) -> list[tuple[str, bool]]:
    """Return the words that state a relation, each with whether their subject is the relation's object."""
    worded = [(relation.label, False)]
    for phrase in relation.phrases:
        before, between, after = _END.split(phrase)
        worded.append((f"{before} {between} {after}", phrase.index("Y") < phrase.index("X")))
    for noun in (relation.label, *relation.object_nouns):
        worded += [(noun, False), (f"has {noun}", False), (f"has {noun} of", False)]
        worded += [(f"is {noun} {preposition}", True) for preposition in _OF]
    for noun in relation.subject_nouns:
        worded += [(noun, True), (f"has {noun}", True)]
        worded += [(f"is {noun} {preposition}", False) for preposition in (*_OF, "in")]
    return worded


@lru_cache(maxsize=65536)
def words(relation: str) -> tuple[str, ...]:
    """Return the words of a relation in their base forms, without those that only mark tense, number or voice.

    >>> words("was born in"), words("is the capital of"), words("is directed"), words("directed")
    (('bear', 'in'), ('capital', 'of'), ('be', 'direct'), ('direct',))
    """
    tokens = _WORD.findall(relation.lower())
    kept = [word for word in tokens if word not in _SAID_ANYWAY]
    if _BE.intersection(tokens) and len(kept) == 1 and kept[0] not in PREPOSITIONS:
        kept.insert(0, "be")  # "is directed" is not "directed"
    return tuple(word if word in PREPOSITIONS or word in NAMING else base(word) for word in kept)


@lru_cache(maxsize=65536)
def form(relation: str) -> tuple[str, ...]:
    """Return a relation's words normalised for comparison.

    >>> form("was originally located in"), form("is the capital of"), form("was formerly mayor of")
    (('locate', 'in'), ('capital', 'of'), ('formerly', 'mayor', 'of'))
    >>> form("was appointed mayor of"), form("serves as mayor of"), form("works for")
    (('mayor', 'of'), ('mayor', 'of'), ('work', 'for'))
    >>> form("was re-elected mayor of"), form("was co-founded in"), form("was re-released in")
    (('mayor', 'of'), ('found', 'in'), ('re', 'release', 'in'))
    """
    relation = _PREFIX.sub("", relation.replace("_", " "))
    kept = words(" ".join(word for word in relation.split() if not _is_idle(word.lower())))
    if len(kept) < 3 or kept[0] not in HOLDING or kept[1] in PREPOSITIONS - {"as"}:
        return kept
    return kept[1 + (kept[1] == "as") :]


def _is_idle(word: str) -> bool:
    return word in _IDLE or (_ADVERB.fullmatch(word) is not None and word not in _KEPT)


def _type(end: Entity) -> str | None:
    """Return the class of an end. A name like a country's is a country, unless a narrower class than place is known."""
    if end.kind != "entity":
        return end.kind
    return "country" if end.type in (None, "place") and is_country(end.label) else end.type
