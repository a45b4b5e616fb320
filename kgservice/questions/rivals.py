"""What passages say of a named thing that may be another answer of a question, with a low threshold.

A sentence about the thing (passage_facts.py) holds a rival where it may state the relation and has another name or
value of the class that the relation wants at the asked end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from kgservice.core.schema import OPEN, Relation
from kgservice.extraction.phrasebook import phrases
from kgservice.extraction.readers.relation_reader import RelationReader
from kgservice.names.abbreviations import initials
from kgservice.names.countries import country
from kgservice.names.mentions import BRACKET, form, spans, titles
from kgservice.names.spelling import name as spelt
from kgservice.questions.passage_facts import (
    LIKELY,
    Passage,
    PassageSentence,
    Span,
    content,
    folded,
    is_a,
    written,
)
from kgservice.text import inflection
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS, is_agent
from kgservice.text.values import read_value

# Probabilities by the relation reader, chosen on other seeds and documents of benchmarks/second_look.py than it is
# reported on, as LIKELY. READ is the careful one of two: at .1 as many of the questions asked are unique and more are
# kept (docs/questions.md). UNLIKE was lowered (from .08) for a reader that is surer of what is not stated. LIKELY .03
# keeps more than .015, and as many of those asked are unique (seeds 5 and 6 of the even half).
UNLIKE = 0.05  # of the likeliest relation's probability: from there on a sentence may state another one instead
SURE = 0.8  # from which it surely states one
ALSO = 0.5  # from which it states one of a second thing too; less is enough where the known answer has no more
SLIGHT = 0.1  # from which it may state one of a bridge: of withheld chains that were read, most rivals below were none
READ = 0.2  # of any relation: below, nobody can tell what the sentence says of the two

_PEOPLES = frozenset(("country", "language", "ethnic group"))
_LISTED = re.compile(r",?\s+(?:and|or|&|as well as)\s+(?:the\s+)?|,\s+(?:the\s+)?|/")
_JOINED = re.compile(r",?\s+(?:and|or|&|as well as)\s+((?:[a-z][\w'-]*,?\s+)+)")  # "Ada Orr and the poet Bo Lund"
_NO_NOUNS = PREPOSITIONS | AUXILIARIES | BE
_DESCRIBED = re.compile(r"(?:[ -][a-z][a-z'’-]*)+")  # "French" "drama film directed by"
_RANK = re.compile(r", (?:\d+(?:st|nd|rd|th) )?[A-Z]\w+ of [A-Z][^,]*$")  # what is said after a comma of a noble
_FROM = re.compile(r"\b(?:from|in|of) (?:the )?\Z")
_JOINS = re.compile(r"\b(?:and|or|as well as)\b|&|/")


class UniqueClaim(NamedTuple):
    """What a question says to be the only one: what has `relation` to the thing named, as its `side` says.

    `own` are the classes of that thing, `wanted` those of what is asked for, `known` its labels, `phrases` say the
    relation. `in_part`: it is one of several conditions, so that a weaker sign is enough. `is_bridge`: what is wanted
    is described in a question for something else, so that the reader has to see a sign of another one. `has_many`: the
    schema says of the side neither that it has one member nor that it has one at a time.
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
    is_bridge: bool = False
    has_many: bool = False


class RivalAnswer(NamedTuple):
    """Another answer that a sentence may give: the sentence, its name and the passage."""

    sentence: str
    name: str
    chunk: str


def sentences_about(
    passages: Iterable[Passage], label: str, classes: tuple[str, ...]
) -> list[tuple[PassageSentence, Span]]:
    """Return the sentences about a thing of these classes, in order of their text, each with what stands for it."""
    said = [pair for passage in passages for pair in passage.about(label, classes)]
    return sorted(said, key=lambda pair: pair[0].text)


def rivals(
    claim: UniqueClaim,
    said: Iterable[tuple[PassageSentence, Span]],
    evidence: frozenset[tuple[str, str]],
    reader: RelationReader,
    only: frozenset[str] | None = None,
) -> Iterator[RivalAnswer]:
    """Yield what sentences about the thing named may say to be another answer of a claim, in the sentences' order.

    `evidence`: the sentences (chunk, folded text) that state what is known; there, and beside a known answer in any
    sentence, it takes a stronger sign.
    `only`: the forms of the only answers that are meant, None for all.
    """
    for one, end in said:
        if folded(one.text) == folded(one.passage.title):  # "Anxiety (Ladyhawke album)" says what it is called
            continue
        if claim.period and _year(claim.period) not in one.text:
            continue
        if only is not None and claim.kind == "entity" and only.isdisjoint(one.forms):
            continue
        key, text = one.passage.key, folded(one.text)
        proven = any(chunk == key and (text in stated or stated in text) for chunk, stated in evidence)
        answered = not claim.for_ever and any(same(span.label, claim.known) for span in one.names)
        known = _with_known(claim, one, end, reader, proven=proven) if proven or answered else None
        for name in _others(claim, one, end, reader) if known is None else known:
            if only is None or form(name) in only:
                yield RivalAnswer(one.text, name, key)


def unattributed_rivals(claim: UniqueClaim, passages: Iterable[Passage]) -> Iterator[RivalAnswer]:
    """Yield what passages say in the words of a claim's relation, whomever it is about, if no known fact explains it.

    Where nothing is known, "She was born Lilian Alicia Marks in London" may be about the thing named.
    """
    nobody = Span(claim.named, 0, 0, "")
    for one in (sentence for passage in passages for sentence in passage.sentences if _says(claim, sentence)):
        for span in _candidates(claim, one, nobody):
            if not same(span.label, (claim.named,)):
                yield RivalAnswer(one.text, span.label, one.passage.key)


def first_rivals(found: Iterable[RivalAnswer], most: int) -> tuple[RivalAnswer, ...]:
    """Return the first `most` of what `rivals` yields, in order; sentences behind them are not read."""
    first = set[RivalAnswer]()
    for _, of_sentence in groupby(found, key=lambda one: one.sentence):
        first.update(of_sentence)
        if len(first) >= most:
            break
    return tuple(sorted(first)[:most])


def _with_known(
    claim: UniqueClaim, one: PassageSentence, end: Span, reader: RelationReader, *, proven: bool
) -> Iterator[str]:
    """What stands in one list with the known answer, or is as likely for the reader: "by its drummer Ada Orr and the
    singer and guitarist Bo Lund".

    `proven`: the sentence is evidence. A list says nothing of the relation where the reader sees no sign of it in the
    list and the evidence is somewhere else: "written by Ada Orr and Bo Lund" of who recorded a song.
    """
    told = claim.kind == "number" or claim.relation not in reader.taught.relations or _says(claim, one)
    signs = {
        span: one.likely(reader, *_ordered(claim, end, span)) for span in one.names if same(span.label, claim.known)
    }
    stated = not proven or max(signs.values(), default=0.0) >= READ
    for place, span in _beside(claim, one):
        unsaid = stated and not told and signs.get(place, 1.0) < READ
        if not (unsaid or _is_no_country(claim, one, end, span, reader)):
            yield span.label
    if claim.for_ever or claim.kind == "number":
        return
    found = {span: one.likely(reader, *_ordered(claim, end, span)) for span in _candidates(claim, one, end)}
    known = max((p for span, p in found.items() if same(span.label, claim.known)), default=1.0)
    enough = max(READ, min(ALSO, known))
    likely = (span for span, p in found.items() if p >= enough and _is_new(claim, one, end, span))
    yield from (span.label for span in likely if not _is_no_country(claim, one, end, span, reader))


def _is_new(claim: UniqueClaim, one: PassageSentence, end: Span, span: Span) -> bool:
    """Whether a span is neither known nor the thing itself or a part of its name, and no known fact explains it."""
    place = written(one.text, claim.named)
    within = place is not None and span.start < place.end and place.start < span.end
    within = within or span[1:3] == end[1:3]
    known = same(span.label, claim.known) or within or same(span.label, (claim.named,))
    return not (known or _holds_known(claim, one, span) or _explained(claim, one, span))


def _holds_known(claim: UniqueClaim, one: PassageSentence, span: Span) -> bool:
    """Whether a place only says where the known one lies: Norway in "based in Lun, Norway"."""
    schema = one.passage.schema
    if not claim.wanted or not all(is_a(schema, class_, "place") for class_ in claim.wanted):
        return False
    before = one.text[: span.start]
    return before.endswith(", ") and any(before.endswith(f"{label}, ") for label in claim.known)


def _beside(claim: UniqueClaim, one: PassageSentence) -> Iterator[tuple[Span, Span]]:
    """Yield what stands in one list with the known answer, behind the place of that one."""
    if claim.for_ever:
        return
    spans = sorted((*one.names, *_known_words(claim, one)), key=lambda span: span.start)
    lists: list[list[Span]] = [[]]
    for before, after in zip([None, *spans], spans, strict=False):
        gap = one.text[before.end : after.start] if before else ""
        lists[-1].append(after) if before and _lists(gap) else lists.append([after])
    for listed in lists:
        joined = one.text[listed[0].start : listed[-1].end] if listed else ""
        known = [span for span in listed if same(span.label, claim.known)]
        if len(listed) > 1 and known and _JOINS.search(joined):
            yield from (
                (known[0], span)
                for span in listed
                if span not in known and _fits(claim, one, span) and not same(span.label, (claim.named,))
            )


def _lists(gap: str) -> bool:
    """Whether two names with these words between them stand in one list: a noun may say what the second one is.

    After "directed by Ada Orr and starring" something else is said.
    """
    joined = _JOINED.fullmatch(gap)
    words = joined[1].split() if joined else []
    return _LISTED.fullmatch(gap) is not None or bool(
        words and _NO_NOUNS.isdisjoint(words) and not inflection.is_verb(words[0])
    )


def _known_words(claim: UniqueClaim, one: PassageSentence) -> Iterator[Span]:
    taken = {(span.start, span.end) for span in one.names}
    for label in claim.known:
        found = written(one.text, label)
        if found and (found.start, found.end) not in taken:
            yield found


def _others(claim: UniqueClaim, one: PassageSentence, end: Span, reader: RelationReader) -> Iterator[str]:
    """What may be another answer in a sentence that is no evidence.

    A day is one where the answer is its year or month.
    """
    if claim.kind == "date" and _says(claim, one):
        yield from (span.label for span in one.dates if _is_finer(span.label, claim.known))
    if claim.for_ever and any(same(span.label, claim.known) for span in (*one.names, *one.dates, *one.numbers)):
        return
    said = _says(claim, one)
    for span in _candidates(claim, one, end):
        if not _is_new(claim, one, end, span) or _is_no_country(claim, one, end, span, reader):
            continue
        if (said and not _denied(claim, one, end, span, reader)) or _may_say(claim, one, end, span, reader):
            yield span.label


@lru_cache(maxsize=65536)
def is_name(label: str) -> bool:
    """Return whether passages mention a label as one name: no value, no common words, and no two names.

    >>> is_name("University of Oslo"), is_name("contemporary R&B"), is_name("1952"), is_name("Washington, D.C.")
    (True, False, False, False)
    >>> is_name("Acme Systems, Inc."), is_name("Walking on Glass"), is_name("Ada Orr and Bo Lund")
    (True, True, False)
    >>> is_name("Bo Lund, 2nd Earl of Orrel"), is_name("Trinidad and Tobago")
    (True, True)
    """
    if read_value(label)[0] != "entity":
        return False
    label = _RANK.sub("", label)
    names, firm = {form(name) for name in titles(label)}, spelt(label).firm
    found = spans(label)
    named = any(form(one.label) in names or (firm and spelt(one.label).joined == firm) for one in found)
    nation = country(label)
    if nation is not None and nation.how == "name":
        return True
    return named or _is_title(BRACKET.sub("", label), [one.label for one in found])


def _is_title(label: str, names: list[str]) -> bool:
    """Whether a label is a name with small words in it that begins and ends as one: "Third from the Right"."""
    whole = len(names) > 1 and label.startswith(names[0]) and label.endswith(names[-1])
    return whole and _LISTED.search(label) is None and "," not in label


def _says(claim: UniqueClaim, one: PassageSentence) -> bool:
    """Whether a sentence has the words of a phrase that says the relation, and no known fact that it says with them."""
    known = one.passage.stated.get(folded(one.text), ())
    return not any(stated.relation == claim.relation for stated in known) and any(
        phrase <= one.words for phrase in claim.phrases
    )


def _denied(claim: UniqueClaim, one: PassageSentence, end: Span, span: Span, reader: RelationReader) -> bool:
    """Whether the reader knows the relation and sees nothing of it: "The film stars Ada Orr and Bo Lund" has the word
    "film" and no director. Of the only two ends of a sentence the words count.

    What there is one of for ever only a sentence contradicts in which the reader sees something.
    """
    if claim.kind == "number" or claim.relation not in reader.taught.relations:
        return False
    if one.joins_two and not (claim.for_ever or claim.is_bridge):
        return False
    return one.likely(reader, *_ordered(claim, end, span)) < (READ if claim.for_ever else LIKELY)


def _is_no_country(claim: UniqueClaim, one: PassageSentence, end: Span, span: Span, reader: RelationReader) -> bool:
    """Whether a country is asked for, and neither a list, the graph, a noun ("Empire") nor the reader takes the name
    for one; or a people stands before the noun of a thing ("a British colony"), and the reader sees nothing in it.

    Beside listed countries the reader is believed of what stands alone: "of the Soviet Union".
    """
    schema, nation = one.passage.schema, country(span.label)
    if claim.wanted != ("country",) or claim.kind != "entity" or schema is None:
        return False
    if nation is not None:
        told = nation.how == "demonym" and _tells_of_a_thing(one, span)
        return told and one.likely(reader, *_ordered(claim, end, span)) < READ
    classes = _class(one, span.label), schema.named_class(span.label)
    is_one = any(schema.fit(class_, claim.wanted) > 1 for class_ in classes)
    listed = bool(claim.known) and all(map(country, claim.known))  # then so is its rival: no "Mississippi River"
    likely = one.likely(reader, *_ordered(claim, end, span))
    alone = _FROM.search(one.text, 0, span.start) is not None and not _noun_after(one.text, span)
    return not is_one and (likely < READ or (listed and not (alone and likely >= ALSO)))


def _ordered(claim: UniqueClaim, end: Span, span: Span) -> tuple[Span, str, Span]:
    subject, other = (end, span) if claim.side == "sr" else (span, end)
    return subject, claim.relation, other


def _may_say(claim: UniqueClaim, one: PassageSentence, end: Span, span: Span, reader: RelationReader) -> bool:
    """Whether the reader finds the relation between two ends, or nothing between the only two of a sentence.

    For a contradiction it has to be sure.
    """
    if claim.kind == "number":  # no end for the reader: where nothing is known, any number may say it
        return not claim.known
    likely, most = one.likely(reader, *_ordered(claim, end, span)), one.likeliest(reader, end, span)
    if claim.for_ever:
        return likely == most >= SURE
    nothing = SURE if claim.in_part else SLIGHT if claim.is_bridge else READ
    untold = one.joins_two and (claim.has_many or not claim.is_bridge) and most < nothing
    # whom nothing tells of is named in full, not "Vitaphone"
    if (claim.is_bridge or _wants_persons(claim, one)) and " " not in span.label:
        untold = False
    return untold or likely >= max(SLIGHT if claim.is_bridge else LIKELY, UNLIKE * most)


def _candidates(claim: UniqueClaim, one: PassageSentence, end: Span) -> Iterator[Span]:
    if claim.kind == "date":
        yield from one.dates
    elif claim.kind == "number":
        yield from one.numbers
    else:
        yield from (span for span in one.names if _fits(claim, one, span))
        own = one.passage.title
        if is_name(own) and one.pronoun and end.kind != "pronoun":  # "He was born in Lun", of whom the article is about
            span = Span(own, one.pronoun.start, one.pronoun.end, "pronoun")
            if one.passage.may_stand(span._replace(label=one.pronoun.label), claim.wanted) and _fits(claim, one, span):
                yield span


def _fits(claim: UniqueClaim, one: PassageSentence, span: Span) -> bool:
    """Whether a name may be of the wanted classes, as far as is known; "Italian" is a country, language or people."""
    schema = one.passage.schema
    if schema is None or not claim.wanted:
        return True
    if _wants_persons(claim, one) and any(map(str.isdigit, span.label)):
        return False  # "3rd Moscow International Film Festival"
    type_, nation = _class(one, span.label), country(span.label)
    if nation is not None and nation.how == "demonym":
        return not _PEOPLES.isdisjoint(claim.wanted)
    type_ = "country" if nation and nation.how == "name" and (type_ is None or "country" in claim.wanted) else type_
    return type_ is None or schema.fit(type_, claim.wanted) > 0


def _tells_of_a_thing(one: PassageSentence, span: Span) -> bool:
    """Whether a noun follows a name, and means nobody: "colony" of "British penal colony"."""
    noun = _noun_after(one.text, span)
    own = one.passage.schema.entity_class(noun) if noun and one.passage.schema else None
    return bool(noun) and not is_agent(noun) and not (own and is_a(one.passage.schema, own, "person"))


def _noun_after(text: str, span: Span) -> str:
    """Return the noun that a name in a text stands before, "" if none: "film" of "French drama film by"."""
    said = _DESCRIBED.match(text, span.end)
    words = re.split("[ -]", said[0].strip(" -")) if said else []
    end = next((at for at, word in enumerate(words) if word in _NO_NOUNS or word == "and"), len(words))
    nouns = [word for word in words[:end] if not inflection.is_past(word)]
    return nouns[-1] if nouns else ""


def _class(one: PassageSentence, label: str) -> str | None:
    """The class that the graph or the noun of a name ("Sundance Film Festival") gives it."""
    known, schema = one.passage.named.get(form(label)), one.passage.schema
    return (known.type if known else None) or (schema.named_class(label) if schema else None)


def _wants_persons(claim: UniqueClaim, one: PassageSentence) -> bool:
    """Whether nothing but a person can be the answer."""
    return bool(claim.wanted) and all(is_a(one.passage.schema, class_, "person") for class_ in claim.wanted)


def _explained(claim: UniqueClaim, one: PassageSentence, span: Span) -> bool:
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
    words = [form(BRACKET.sub("", label)).split() for label in (one, other)]
    left, right = sorted(words, key=len)
    whole = "of" not in right  # "Ada Orr", "Ada Mae Orr"; "Oslo", but not "University of Oslo"
    within = len(left) > 1 and (left[0], left[-1]) == (right[0], right[-1])
    if left in (right, right[: len(left)]) or (whole and (within or left == right[len(right) - len(left) :])):
        return True
    return "".join(words[0]) in _initials(other) or "".join(words[1]) in _initials(one)


def _is_finer(label: str, known: Iterable[str]) -> bool:
    """Return whether a date is one of those known and says more: "16 May 1952" of "1952"."""
    date = str(_value(label)[1])
    return any(date != (value := str(_value(one)[1])) and date.startswith(value) for one in known)


def _rounded(value: object) -> str:
    return f"{float(str(value)):.1e}"


def _year(period: str) -> str:
    found = re.search(r"\d{4}", period)
    return found[0] if found else ""


@lru_cache(maxsize=4096)
def sayings(relation: Relation) -> tuple[frozenset[str], ...]:
    """Return what says a relation: the words of each phrase that are no prepositions, each phrase once."""
    found = (content(phrase) for phrase, _ in phrases(relation))
    return tuple(dict.fromkeys(said for said in found if said))
