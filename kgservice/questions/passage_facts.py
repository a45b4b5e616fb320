"""A passage as the second look reads it: its sentences, what they name, and which of them are about a thing.

A sentence is about a thing where it names it in any spelling of its passage, or says "he", "its", "the company" in the
thing's own article or right after a sentence that names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from kgservice.core import keys
from kgservice.core.schema import Schema
from kgservice.extraction.phrasebook import words
from kgservice.extraction.readers.relation_reader import Joined, RelationReader
from kgservice.extraction.syntax.rejection import DAYS
from kgservice.names.mentions import BRACKET, NamePlace, form, heads, is_common, spans, titles
from kgservice.text import whole_words
from kgservice.text.english import ARTICLES, AUXILIARIES, BE, DETERMINERS, PREPOSITIONS
from kgservice.text.sentences import sentences
from kgservice.text.values import MONTH, read_value

LIKELY = 0.03  # probability by the relation reader from which a sentence may state a relation between two of its ends
DIGITS = 6  # of a probability that is kept
IDLE = PREPOSITIONS | ARTICLES | DETERMINERS | AUXILIARIES | BE | frozenset("be and or have has as not".split())

_PRONOUN = re.compile(r"(?i)\b(?:he|him|his|she|hers?|it|its|they|them|their)\b|^(?:The|This) (?=[a-z])")
_PERSON = frozenset("he him his she her hers".split())
_DATE = re.compile(
    rf"\b(?:(?:\d{{1,2}}(?:(?:st|nd|rd|th)(?: of)?)? )?{MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? )?"
    r"(?:1\d{3}|20\d{2})\b"
    r"|\b\d{4}-\d{2}(?:-\d{2})?\b"
)
_OPENS = re.compile(r"(?:^|[.!?:;(\[“‘\"])[\s“‘\"(\[]*$")  # what stands before the first word of a clause
_OPENING = re.compile(rf"(?:{'|'.join(one.capitalize() for one in sorted(PREPOSITIONS))}) (?:the |an? )?(?=[A-Z])")
_GENERATIONS = frozenset("jr jr. sr sr. ii iii iv".split())  # "Hank Williams, Jr."
_NUMBER = re.compile(r"\b\d[\d,]*(?:\.\d+)?\b")


class PassageName(NamedTuple):
    """What a passage mentions: the form of the name, its class, and the forms in which the passage writes it."""

    form: str
    type: str | None
    spellings: frozenset[str]


class PassageFact(NamedTuple):
    """A fact that a sentence of a passage states, by the forms of its ends; `known`: its relation is no open one."""

    sentence: str
    subject: str
    relation: str
    object: str


class Span(NamedTuple):
    """A name, date or number in a sentence, in characters."""

    label: str
    start: int
    end: int
    kind: str
    value: str | float | None = None


class PassageSentence:
    """A sentence of a passage with what it names; what the relation reader says of it is asked once."""

    def __init__(self, text: str, passage: Passage, at: int) -> None:
        self.text, self.passage, self.at = text, passage, at
        self._likely: dict[tuple[object, str, object], float] | None = None

    @cached_property
    def words(self) -> frozenset[str]:
        """The base forms of its words."""
        return content(self.text)

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """Its names without parts of longer ones, months and units, and common words that open a clause."""
        found = (self._without_opening(one) for one in spans(self.text))
        return tuple(Span(*one, "name") for one in found if _names_a_thing(self.text, one))

    def _without_opening(self, one: NamePlace) -> NamePlace:
        """Leave out a preposition that opens a clause, as of "With the Lunsk archive"."""
        opening = _OPENING.match(one.label)
        if opening is None or not _OPENS.search(self.text, 0, one.start):
            return one
        name = one.label[opening.end() :]
        return NamePlace(name, one.end - len(name), one.end) if self.text[: one.end].endswith(name) else one

    @cached_property
    def dates(self) -> tuple[Span, ...]:
        return tuple(_valued(self.text, _DATE, "date"))

    @cached_property
    def numbers(self) -> tuple[Span, ...]:
        taken = {(one.start, one.end) for one in self.dates}
        inside = [(one.start, one.end) for one in (*self.dates, *self.names)]
        return tuple(
            one
            for one in _valued(self.text, _NUMBER, "number")
            if (one.start, one.end) not in taken and not any(s <= one.start and one.end <= e for s, e in inside)
        )

    @cached_property
    def pronoun(self) -> Span | None:
        """The first pronoun, or "the company" where the sentence begins with it."""
        found = _PRONOUN.search(self.text)
        return Span(found[0].strip(), found.start(), found.end(), "pronoun") if found else None

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms of its names, and of its passage's title if a pronoun may stand for that."""
        title = [self.passage.title] if self.pronoun else []
        return frozenset(form(label) for label in (*title, *(one.label for one in self.names)))

    @cached_property
    def joins_two(self) -> bool:
        """Whether two names, values or pronouns are all that it has; a headline leaves out what it is about."""
        if self.text.startswith("#"):
            return False
        places = {(one.start, one.end) for one in (*self._ends(), *self.numbers)}
        return len(places) <= 2

    def likely(self, reader: RelationReader, subject: Span, relation: str, other: Span) -> float:
        """Return how likely it states the relation between two of its ends."""
        return self._read(reader).get((subject[1:3], relation, other[1:3]), 0.0)

    def likeliest(self, reader: RelationReader, one: Span, other: Span) -> float:
        """Return how likely the likeliest relation between two of its ends is."""
        both = {one[1:3], other[1:3]}
        return max((p for (start, _, end), p in self._read(reader).items() if {start, end} == both), default=0.0)

    def _read(self, reader: RelationReader) -> dict[tuple[object, str, object], float]:
        if self._likely is None:
            ends = sorted({(one.start, one.end): one for one in self._ends()}.values(), key=lambda one: one.start)
            given: SentenceEnds = [(one.start, one.end, self.passage.kind(one)) for one in ends]
            found = self.passage.readings.of(self.text, given, lambda: reader.read(self.text, given, LIKELY))
            self._likely = {(given[one][:2], relation, given[other][:2]): p for one, relation, other, p in found}
        return self._likely

    def _ends(self) -> Iterator[Span]:
        yield from self.names
        yield from self.dates
        if (said := self.pronoun) and not any(one.start <= said.start < one.end for one in self.names):
            yield said


SentenceEnds: TypeAlias = list[tuple[int, int, str]]
"""The places of a sentence's ends, in characters, with their kinds."""


class Readings:
    """What the relation reader found in a passage's sentences, kept with the passage: no later run reads them again.

    A sentence is kept under a digest of its text and its ends. `stored` is what `text` returned, or an empty string;
    readings of another `version` of the reader are dropped.
    """

    def __init__(self, stored: str, version: str) -> None:
        kept = json.loads(stored) if stored else {}
        self._version, self.is_new = version, False
        self._read: dict[str, list[tuple[int, str, int, float]]] = (
            kept["sentences"] if kept.get("version") == version else {}
        )

    def of(self, text: str, ends: SentenceEnds, read: Callable[[], Iterable[Joined]]) -> list[Joined]:
        """Return the relations between the ends of a sentence, by `read` if none are kept."""
        key = keys.digest(16, text, ends)
        if key not in self._read:
            self._read[key] = [(one, relation, other, round(p, DIGITS)) for one, relation, other, p in read()]
            self.is_new = True
        return [Joined(*one) for one in self._read[key]]

    @property
    def text(self) -> str:
        """The readings as they are stored."""
        return json.dumps({"version": self._version, "sentences": self._read}, separators=(",", ":"))


class Passage:
    """A passage with its title, what it mentions, the facts that its sentences state, and what was read in them."""

    def __init__(
        self,
        key: str,
        title: str,
        text: str,
        named: Iterable[PassageName],
        stated: Iterable[PassageFact],
        schema: Schema | None,
        readings: Readings,
    ) -> None:
        self.readings = readings
        self.key, self.title, self.text, self.schema = key, title, text, schema
        self.named = {one.form: one for one in named}
        self.own = {form(name) for name in (*titles(title), *heads(title))} if title else set()
        self.stated: dict[str, list[PassageFact]] = {}
        for one in stated:
            self.stated.setdefault(folded(one.sentence), []).append(one)

    @cached_property
    def sentences(self) -> tuple[PassageSentence, ...]:
        """Its sentences."""
        found = (self.text[start:end] for start, end in sentences(self.text))
        return tuple(PassageSentence(text, self, at) for at, text in enumerate(found))

    def spellings(self, label: str) -> frozenset[str]:
        """How the passage may call a thing: its name, what a mention says; of a plain name its first and last words."""
        own = form(label)
        found = {own} | (self.named[own].spellings if own in self.named else frozenset())
        words_ = BRACKET.sub("", label).split()
        if 2 <= len(words_) <= 4 and all(word[:1].isupper() and word.rstrip(".").isalpha() for word in words_):
            found |= {form(words_[-1]), form(words_[0]), form(" ".join(words_[:-1]))}
        return frozenset(found.union(form(name) for name in (*titles(label), *heads(label))))

    def kind(self, one: Span) -> str:
        """What an end is for the relation reader."""
        if one.kind in ("date", "pronoun"):
            return one.kind
        known = self.named.get(form(one.label))
        of = self.schema.entity_class(known.type) if known and self.schema else None
        return next(
            (kind for kind in ("person", "organization", "place") if of and is_a(self.schema, of, kind)), "name"
        )

    def about(self, label: str, classes: tuple[str, ...]) -> Iterator[tuple[PassageSentence, Span]]:
        """Yield the sentences that are about a thing, each with the place that stands for it; `classes`: its own."""
        known = self.spellings(label)
        opening = {one.split()[0] for one in known if one}
        own, before = bool(known & self.own), False
        for one in self.sentences:
            named = not opening.isdisjoint(form(word) for word in one.text.split())
            found = next((name for name in one.names if form(name.label) in known), None) if named else None
            if found is None and (there := written(one.text, label)):
                found = None if any(o.start <= there.start < o.end for o in one.names) else there
            if found is not None:
                yield one, found
            elif (own or before) and one.pronoun is not None and self.may_stand(one.pronoun, classes):
                yield one, one.pronoun
            before = found is not None

    def may_stand(self, pronoun: Span, classes: tuple[str, ...]) -> bool:
        """Return whether a pronoun may mean something of these classes: "he" a person, "it" anything else."""
        said = pronoun.label.lower()
        if self.schema is None or not classes or said.startswith("the"):
            return True
        persons = [is_a(self.schema, one, "person") for one in classes]
        return any(persons) if said in _PERSON else not all(persons)


def is_a(schema: Schema | None, class_: str, above: str) -> bool:
    """Return whether a class is another one or belongs to it."""
    return schema is not None and schema.fit(class_, (above,)) > 1


def written(text: str, label: str) -> Span | None:
    """Return a name as it is written, where capitals do not show it."""
    found = next(whole_words.spans(text, label), None)
    return Span(label, *found, "name") if found else None


def _names_a_thing(text: str, one: NamePlace) -> bool:
    """Whether a capitalised span is a name: no "In November", no "USD", no "We" after a quotation mark."""
    said = [word for word in one.label.lower().split() if word not in IDLE]
    if all(word in DAYS or word in _GENERATIONS for word in said) or read_value(f"1 {one.label}")[0] != "entity":
        return False
    opens = " " not in one.label and _OPENS.search(text, 0, one.start) is not None
    return not (opens and is_common(one.label.lower()))


def _valued(text: str, pattern: re.Pattern[str], kind: str) -> Iterator[Span]:
    for found in pattern.finditer(text):
        read, value, _ = read_value(found[0])
        if read == kind:
            yield Span(found[0], found.start(), found.end(), kind, value)


@lru_cache(maxsize=65536)
def folded(text: str) -> str:
    """Return a text with its white space folded."""
    return " ".join(text.split())


def content(text: str) -> frozenset[str]:
    """Return the base forms of the words of a text that say something.

    >>> sorted(content("She was born in Paris"))
    ['Paris', 'bear', 'she']
    """
    return frozenset(word for word in words(text) if word not in IDLE)
