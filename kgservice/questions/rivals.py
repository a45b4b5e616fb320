"""What a text says of a named thing that may be another answer: its sentences, read again with a low threshold.

A sentence is about a thing where it names it in any spelling of its passage, or says "he", "its", "the company" in the
thing's own article or right after a sentence that names it. It holds a rival where it may state the relation and has
another name or value of the class that the relation wants at the asked end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from kgservice.extraction.relation_reader import RelationReader
from kgservice.linking.abbreviations import initials
from kgservice.linking.countries import country
from kgservice.linking.mentions import BRACKET, form, heads, is_common, spans, titles
from kgservice.linking.phrasebook import phrases
from kgservice.linking.relations import words
from kgservice.linking.spelling import name as spelt
from kgservice.questions.words import ARTICLES, AUXILIARIES, BE, DETERMINERS, PREPOSITIONS
from kgservice.schema import OPEN, Relation, Schema
from kgservice.sentences import sentences
from kgservice.values import MONTHS, read_value

# probabilities by the relation reader, chosen on one seed of benchmarks/second_look.py
LIKELY = 0.02  # from which a sentence may state a relation between two of its ends
UNLIKE = 0.2  # the same, where it surely states another one
SURE = 0.8  # from which it surely states one
READ = 0.1  # of any relation: below, nobody can tell what the sentence says of the two
IDLE = PREPOSITIONS | ARTICLES | DETERMINERS | AUXILIARIES | BE | frozenset("be and or have has as not".split())

_PRONOUN = re.compile(r"(?i)\b(?:he|him|his|she|hers?|it|its|they|them|their)\b|^(?:The|This) (?=[a-z])")
_PEOPLES = frozenset(("country", "language", "ethnic group"))
_PERSON = frozenset("he him his she her hers".split())
_MONTH = "|".join(MONTHS.title().split())
_DATE = re.compile(
    rf"\b(?:(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTH})(?: \d{{1,2}})?,? )?(?:1\d{{3}}|20\d{{2}})\b"
    r"|\b\d{4}-\d{2}(?:-\d{2})?\b"
)
_NUMBER = re.compile(r"\b\d[\d,]*(?:\.\d+)?\b")
_LISTED = re.compile(r",?\s+(?:and|or|&|as well as)\s+(?:the\s+)?|,\s+(?:the\s+)?|/")
_JOINS = re.compile(r"\b(?:and|or|as well as)\b|&|/")


class Named(NamedTuple):
    """What a passage mentions: the form of the name, its class, and the forms in which the passage writes it."""

    form: str
    type: str | None
    spellings: frozenset[str]


class Stated(NamedTuple):
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


class Claim(NamedTuple):
    """What a question says to be the only one: what has `relation` to the thing named, as its `side` says.

    `own` are the classes of that thing, `wanted` those of what is asked for, `known` its labels, `phrases` say the
    relation. `in_part`: it is one of several conditions, so that a weaker sign is enough.
    """

    named: str
    side: str
    relation: str
    own: tuple[str, ...]
    wanted: tuple[str, ...]
    kind: str
    for_ever: bool
    known: tuple[str, ...]
    phrases: tuple[frozenset[str], ...]
    period: str
    in_part: bool


class Found(NamedTuple):
    """Another answer that a sentence may give: the sentence, its name and the passage."""

    sentence: str
    name: str
    chunk: str


class Sentence:
    """A sentence of a passage with what it names; what the relation reader says of it is asked once."""

    def __init__(self, text: str, passage: Passage, at: int) -> None:
        self.text, self.passage, self.at = text, passage, at

    @cached_property
    def words(self) -> frozenset[str]:
        """The base forms of its words."""
        return content(self.text)

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """Its names, those left out that are part of a longer one."""
        return tuple(
            Span(*one, "name")
            for one in spans(self.text)
            if one.start > 0 or " " in one.label or not is_common(one.label.lower())
        )

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

    def likely(self, reader: RelationReader, subject: Span, relation: str, other: Span) -> float:
        """Return how likely it states the relation between two of its ends."""
        return self._read(reader).get((subject[1:3], relation, other[1:3]), 0.0)

    def likeliest(self, reader: RelationReader, one: Span, other: Span) -> float:
        """Return how likely the likeliest relation between two of its ends is."""
        both = {one[1:3], other[1:3]}
        return max((p for (start, _, end), p in self._read(reader).items() if {start, end} == both), default=0.0)

    def _read(self, reader: RelationReader) -> Mapping[tuple[object, str, object], float]:
        if (known := self.__dict__.get("_likely")) is None:
            ends = sorted({(one.start, one.end): one for one in self._ends()}.values(), key=lambda one: one.start)
            given = [(one.start, one.end, self.passage.kind(one)) for one in ends]
            known = self.__dict__["_likely"] = {
                ((given[one][:2]), relation, (given[other][:2])): p
                for one, relation, other, p in reader.read(self.text, given, [True] * len(given), least=LIKELY)
            }
        return known

    def _ends(self) -> Iterator[Span]:
        yield from self.names
        yield from self.dates
        if (said := self.pronoun) and not any(one.start <= said.start < one.end for one in self.names):
            yield said


class Passage:
    """A passage with its title, what it mentions, and the facts that its sentences state."""

    def __init__(
        self, key: str, title: str, text: str, named: Iterable[Named], stated: Iterable[Stated], schema: Schema | None
    ) -> None:
        self.key, self.title, self.text, self.schema = key, title, text, schema
        self.named = {one.form: one for one in named}
        self.own = {form(name) for name in (*titles(title), *heads(title))} if title else set()
        self.stated: dict[str, list[Stated]] = {}
        for one in stated:
            self.stated.setdefault(folded(one.sentence), []).append(one)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences."""
        found = (self.text[start:end] for start, end in sentences(self.text))
        return tuple(Sentence(text, self, at) for at, text in enumerate(found))

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
        return next((kind for kind in ("person", "organization", "place") if of and _is(self.schema, of, kind)), "name")

    def about(self, label: str, classes: tuple[str, ...]) -> Iterator[tuple[Sentence, Span]]:
        """Yield the sentences that are about a thing, each with the place that stands for it; `classes`: its own."""
        known = self.spellings(label)
        opening = {one.split()[0] for one in known if one}
        own, before = bool(known & self.own), False
        for one in self.sentences:
            named = not opening.isdisjoint(form(word) for word in one.text.split())
            found = next((name for name in one.names if form(name.label) in known), None) if named else None
            if found is None and (written := _written(one.text, label)):
                found = None if any(o.start <= written.start < o.end for o in one.names) else written
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
        persons = [_is(self.schema, one, "person") for one in classes]
        return any(persons) if said in _PERSON else not all(persons)


def _is(schema: Schema | None, class_: str, above: str) -> bool:
    return schema is not None and schema.fit(class_, (above,)) > 1


def _written(text: str, label: str) -> Span | None:
    """A name as it is, where capitals do not show it."""
    if label not in text:
        return None
    found = re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)
    return Span(label, found.start(), found.end(), "name") if found else None


def rivals(
    claim: Claim, passages: Iterable[Passage], evidence: frozenset[tuple[str, str]], reader: RelationReader
) -> Iterator[Found]:
    """Yield what these passages may say to be another answer of a claim.

    `evidence`: the sentences (chunk, folded text) that state what is known; there only what is named beside it counts.
    """
    for passage in passages:
        for one, end in passage.about(claim.named, claim.own):
            if claim.period and _year(claim.period) not in one.text:
                continue
            proven = any(
                key == passage.key and (folded(one.text) in said or said in folded(one.text)) for key, said in evidence
            )
            for name in _beside(claim, one) if proven else _others(claim, one, end, reader):
                yield Found(one.text, name, passage.key)


def _beside(claim: Claim, one: Sentence) -> Iterator[str]:
    """What stands in one list with the known answer."""
    if claim.for_ever:
        return
    spans = sorted((*one.names, *_known_words(claim, one)), key=lambda span: span.start)
    lists: list[list[Span]] = [[]]
    for before, after in zip([None, *spans], spans, strict=False):
        gap = one.text[before.end : after.start] if before else ""
        lists[-1].append(after) if before and _LISTED.fullmatch(gap) else lists.append([after])
    for listed in lists:
        joined = one.text[listed[0].start : listed[-1].end] if listed else ""
        known = [same(span.label, claim.known) for span in listed]
        if len(listed) > 1 and any(known) and _JOINS.search(joined):
            yield from (
                span.label
                for span, is_known in zip(listed, known, strict=True)
                if not is_known and _fits(claim, one, span) and not same(span.label, (claim.named,))
            )


def _known_words(claim: Claim, one: Sentence) -> Iterator[Span]:
    taken = {(span.start, span.end) for span in one.names}
    for label in claim.known:
        found = _written(one.text, label)
        if found and (found.start, found.end) not in taken:
            yield found


def _others(claim: Claim, one: Sentence, end: Span, reader: RelationReader) -> Iterator[str]:
    """What may be another answer in a sentence that is no evidence."""
    if claim.for_ever and any(same(span.label, claim.known) for span in (*one.names, *one.dates, *one.numbers)):
        return
    said = _says(claim, one)
    for span in _candidates(claim, one, end):
        stated = _explained(claim, one, span)
        if stated or same(span.label, claim.known) or span[1:3] == end[1:3] or same(span.label, (claim.named,)):
            continue
        if (said and not _denied(claim, one, end, span, reader)) or _may_say(claim, one, end, span, reader):
            yield span.label


@lru_cache(maxsize=65536)
def is_name(label: str) -> bool:
    """Return whether passages mention a label as one name: no value, no common words, and no two names.

    >>> is_name("University of Oslo"), is_name("contemporary R&B"), is_name("1952"), is_name("Washington, D.C.")
    (True, False, False, False)
    >>> is_name("Acme Systems, Inc.")
    True
    """
    names, firm = {form(name) for name in titles(label)}, spelt(label).firm
    found = spans(label)
    named = any(form(one.label) in names or (firm and spelt(one.label).joined == firm) for one in found)
    return read_value(label)[0] == "entity" and named


def _says(claim: Claim, one: Sentence) -> bool:
    """Whether a sentence has the words of a phrase that says the relation."""
    return any(phrase <= one.words for phrase in claim.phrases)


def _denied(claim: Claim, one: Sentence, end: Span, span: Span, reader: RelationReader) -> bool:
    """Whether the reader, which knows the relation, sees nothing of what would contradict one that holds for ever."""
    if not claim.for_ever or claim.kind == "number" or claim.relation not in reader.taught.relations:
        return False
    return one.likely(reader, *_ordered(claim, end, span)) < LIKELY


def _ordered(claim: Claim, end: Span, span: Span) -> tuple[Span, str, Span]:
    subject, other = (end, span) if claim.side == "sr" else (span, end)
    return subject, claim.relation, other


def _may_say(claim: Claim, one: Sentence, end: Span, span: Span, reader: RelationReader) -> bool:
    """Whether the reader finds the relation between two ends, or nothing; for a contradiction it has to be sure."""
    if claim.kind == "number":  # no end for the reader
        return False
    likely, most = one.likely(reader, *_ordered(claim, end, span)), one.likeliest(reader, end, span)
    if claim.for_ever:
        return likely == most >= SURE
    return most < (SURE if claim.in_part else READ) or (likely >= LIKELY and (most < SURE or likely >= UNLIKE))


def _candidates(claim: Claim, one: Sentence, end: Span) -> Iterator[Span]:
    if claim.kind == "date":
        yield from one.dates
    elif claim.kind == "number":
        yield from one.numbers
    else:
        yield from (span for span in one.names if _fits(claim, one, span))
        own = one.passage.title
        if own and one.pronoun and end.kind != "pronoun":  # "He was born in Lun", of whom the article is about
            span = Span(own, one.pronoun.start, one.pronoun.end, "pronoun")
            if one.passage.may_stand(span._replace(label=one.pronoun.label), claim.wanted) and _fits(claim, one, span):
                yield span


def _fits(claim: Claim, one: Sentence, span: Span) -> bool:
    """Whether a name may be of the wanted classes, as far as is known; "Italian" is a country, language or people."""
    schema, known = one.passage.schema, one.passage.named.get(form(span.label))
    if schema is None or not claim.wanted:
        return True
    type_, nation = known.type if known else None, country(span.label)
    if nation is not None and nation.how == "demonym":
        return not _PEOPLES.isdisjoint(claim.wanted)
    type_ = type_ or ("country" if nation and nation.how == "name" else None)
    return type_ is None or schema.fit(type_, claim.wanted) > 0


def _explained(claim: Claim, one: Sentence, span: Span) -> bool:
    """Whether the sentence is known to state another relation between the two."""
    named, other = form(claim.named), form(span.label)
    return any(
        {stated.subject, stated.object} == {named, other} and stated.relation != claim.relation
        for stated in one.passage.stated.get(folded(one.text), ())
        if not stated.relation.startswith(OPEN)
    )


def same(label: str, known: Iterable[str]) -> bool:
    """Return whether a name or value is one of those known, in another spelling: shorter, abbreviated, less precise.

    >>> same("Hitchcock", ["Alfred Hitchcock"]), same("1952", ["5 May 1952"]), same("Oslo", ["Bergen"])
    (True, True, False)
    """
    return any(_same(label, one) for one in known)


_value = lru_cache(maxsize=65536)(read_value)
_initials = lru_cache(maxsize=65536)(initials)


@lru_cache(maxsize=65536)
def _same(one: str, other: str) -> bool:
    (kind, value, _), (kind_, value_, _) = _value(one), _value(other)
    if kind == kind_ == "date":
        return str(value).startswith(str(value_)) or str(value_).startswith(str(value))
    if kind == kind_ == "number":
        return _rounded(value) == _rounded(value_)
    if form(one) == form(other):
        return True
    nation, nation_ = country(one), country(other)
    if nation or nation_:  # "West Germany" is not Germany
        return nation is not None and nation_ is not None and nation.name == nation_.name
    left, right = sorted((form(BRACKET.sub("", label)).split() for label in (one, other)), key=len)
    if left in (right, right[: len(left)]) or (left == right[len(right) - len(left) :] and "of" not in right):
        return True
    return "".join(left) in _initials(other) | _initials(one)


def _rounded(value: object) -> str:
    return f"{float(str(value)):.1e}"


def _valued(text: str, pattern: re.Pattern[str], kind: str) -> Iterator[Span]:
    for found in pattern.finditer(text):
        read, value, _ = read_value(found[0])
        if read == kind:
            yield Span(found[0], found.start(), found.end(), kind, value)


def _year(period: str) -> str:
    found = re.search(r"\d{4}", period)
    return found[0] if found else ""


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


@lru_cache(maxsize=4096)
def sayings(relation: Relation) -> tuple[frozenset[str], ...]:
    """Return what says a relation: the words of each phrase that are no prepositions, each phrase once."""
    found = (content(phrase) for phrase, _ in phrases(relation))
    return tuple(dict.fromkeys(said for said in found if said))
