"""The clauses and questions of the schema's relations (relations.toml).

A fact with such a relation is worded by the first phrase that begins with the end in question, else by its label: "X
was directed by Y" of a film, "Y directed X" of its director, "the capital of X". The phrases are those of the subject's
class, if the relation has some (`said_of`). The corpus's own schema comes first (`worded_by`), then the default one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from kgservice.core import keys
from kgservice.core.records import Fact
from kgservice.core.schema import VALUES, Relation, Schema, load_schema, read_schema
from kgservice.names.countries import country
from kgservice.text.english import PREPOSITIONS, asked_then, does
from kgservice.text.inflection import indefinite, is_participle, past

AGENT = "person or organization"
_DAY = re.compile(r".*\b\d{1,2}\b.*\d{4}|\d{4}-\d{2}-\d{2}|\d{1,2} \w+ .*")
_WHEN = re.compile(r"\b(?:on|in)(?= [XY]\b|$)")
_ENDS = re.compile(r"\b[XY]\b")
_TO_FILL = re.compile("TYPE|NOUN|DONE|DID")
_SAID = re.compile("NOUN|DONE|DID")  # what a text's own words fill
_DONE_IN = re.compile(r"X (?:is|was)(?: an? \w+)? (\w+) (?:at|by|in|on|to) Y")
_FAR = 100  # characters between a verb and the end of a fact that it says
_AT_THE_END = re.compile(r"\b[XY](?: \w+){0,2}\?$")
_IN_WHICH = re.compile(r"((?:In|On) which \w+) is X\?")
_WHO = re.compile(r"^Which TYPE(?! (?:did|does)\b)")
_ENDS_IN_OF = re.compile(r"W(hich .+|hat)( (?:is|was|has) [XY] .+) of\?")
_AN_END = re.compile(r"\ban? [XY]\b")
_CALLING = re.compile(r"\bthe (?:\w+ ){1,2}Y\b")
_CALLED = re.compile(r"\bthe(?: [\w-]+){0,2} $")


_OWN = ContextVar("the text of a corpus's own schema", default="")


@contextmanager
def worded_by(own: str) -> Iterator[None]:
    """Word relations by a corpus's own schema, the text of its file ("" for none), before the default one."""
    token = _OWN.set(own)
    try:
        yield
    finally:
        _OWN.reset(token)


def relation_of(property_: str) -> Relation | None:
    """Return the relation of a fact's relation id, or None if no schema has it."""
    return _known(property_, _OWN.get())[0]


@lru_cache(maxsize=4096)
def _known(property_: str, own: str) -> tuple[Relation | None, Schema | None]:
    for schema in (_read(own), load_schema()):
        if schema is not None and property_ in schema.relations:
            return schema.relations[property_], schema
    return None, None


def schema_in_use() -> Schema | None:
    """Return the schema in use: the corpus's own, else the default one."""
    return _read(_OWN.get()) or load_schema()


@lru_cache(maxsize=8)
def _read(own: str) -> Schema | None:
    return read_schema(own)[0] if own else None


def clause(fact: Fact, *, of_subject: bool) -> str:
    """Return the words between the ends in the first phrase that begins with this end, "" if there is none.

    The phrases are those for a fact whose sentences lack a word, else those of the subject's class, if there are some.
    A number is not the end of a clause, so its relation is worded by the label. "Y gave its name to X" is no clause of
    Y, which may be a person.
    """
    relation = relation_of(fact.property)
    if relation is None or (of_subject and set(relation.range) <= {"number"}):
        return ""
    of = fact.subject_type or implied_class(fact.property, of_subject=True) or _class_of_whole(fact, relation)
    by_class = _of_lacking(relation, fact) or _of_class(relation, relation.said_of, of)
    for phrase in relation.phrases if by_class is None else by_class:
        before, between, after = _ENDS.split(phrase)
        if (phrase[0] == "X") == of_subject and not before and not after and (of_subject or " its " not in between):
            return _in_own_verb(between.strip(), relation, fact) if by_class is None else between.strip()
    return ""


def _in_own_verb(words: str, relation: Relation, fact: Fact) -> str:
    """Return a clause with the verb of a fact's sentence where the relation is asked for by that: "wrote" a song."""
    own, (be, _, rest) = _own_verb(relation, fact), words.partition(" ")
    if own and be in ("is", "was") and rest.endswith(" by"):
        return f"{be} {own} by"
    return past(own) if own and words and not rest else words


def _own_verb(relation: Relation, fact: Fact) -> str:
    """Return the participle by which a sentence says a fact if its relation is asked for by that, else ""."""
    return _nearest(_participles(relation), fact) if any("DID" in each for each in relation.ask_object) else ""


def lacks_its_word(fact: Fact) -> bool:
    """Return whether a fact's sentences say it in other words than the label does: "written by", no lyrics."""
    relation = relation_of(fact.property)
    if relation is None:
        return False
    own = _own_verb(relation, fact)
    return _of_lacking(relation, fact) is not None or bool(own and not relation.label.startswith(own[:5]))


def _of_lacking(relation: Relation, fact: Fact) -> tuple[str, ...] | None:
    """Return the phrases for a fact of which no sentence has a word that begins so ("star"), or None."""
    texts = [one.sentence for one in fact.statements if not one.cell]
    if not texts or len(texts) < len(fact.statements):
        return None
    lacking = (
        phrases
        for word, phrases in relation.said_without.items()
        if not any(re.search(rf"(?i)\b(?:co-?)?{re.escape(word)}", text) for text in texts)
    )
    return next(lacking, None)


def _class_of_whole(fact: Fact, relation: Relation) -> str:
    """Return what the subject is where nothing says so and both ends are of one class: a part of a work is a work."""
    return fact.object_type or "" if set(relation.domain) == set(relation.range) else ""


def said(words: str, known: str) -> str:
    """Return words with the end that follows them: "works as a", "actor" gives "works as an actor".

    Where the end begins with "the", the noun that calls it goes: "plays in the league", "the league of Norway".

    >>> said("works as a", "actor"), said("plays in the league", "the NFL"), said("has the rank of", "the rank of Ada")
    ('works as an actor', 'plays in the NFL', 'has the rank of Ada')
    """
    if words.endswith((" a", " an")):
        before = words.rsplit(" ", 1)[0]
        return f"{before} {known}" if known.startswith("the ") else f"{before} {indefinite(known)} {known}"
    before = f"{words} "
    if known.startswith("the "):
        before = before.removesuffix(f"{' '.join(known.split()[:2])} of ")
        before = before if words.rsplit(maxsplit=1)[-1] in PREPOSITIONS else _CALLED.sub("", before)
    return f"{before}{known}"


def noun(property_: str, of: str = "") -> str:
    """Return what a relation's object is called in "the capital of X", "" if nothing: no "the located in of X".

    `of` is the class noun of the subject, "" if unknown.
    """
    relation = relation_of(property_)
    if relation is None:
        return ""
    if told := _of_class(relation, relation.noun_of, of):
        return told[0]
    if relation.noun is not None:
        return relation.noun
    return relation.label if relation.label.split()[-1] not in PREPOSITIONS else ""


def called(property_: str) -> str:
    """Return what the object of a relation is called of which no narrower class is known, "" if nothing."""
    relation = relation_of(property_)
    return relation.called if relation else ""


def named_event(label: str) -> str:
    """Return the class that the name of an event tells ("2008 Summer Olympics"), "" for any other name."""
    schema = schema_in_use()
    known = schema.named_class(label) if schema else None
    return known if known and schema and schema.fit(known, ("event",)) > 1 else ""


def is_symmetric(fact: Fact) -> bool:
    """Return whether the schema says of a fact's relation that its ends may be exchanged."""
    known = relation_of(fact.property)
    return known is not None and known.symmetric


def one_way(subject: str, label: str, obj: str) -> tuple[str, str, str]:
    """Return a triple in the one form that all ways to state it have, by the schema in use."""
    schema = schema_in_use()
    return schema.one_way(subject, label, obj) if schema else (subject, label, obj)


def has_one_object(fact: Fact) -> bool:
    """Return whether the schema says that a thing has one object of a fact's relation, for ever or at a time."""
    known = relation_of(fact.property)
    return known is not None and known.objects in ("one", "one at a time")


def ends_fit(facts: Iterable[Fact]) -> bool:
    """Return whether each end may be what the corpus calls it, and of one class for all facts that share it.

    No person came out in 1995, nobody makes what is called an industry, and a film has no author. Nor has a book a
    cast, which another fact calls a book.
    """
    schema, facts = schema_in_use(), list(facts)
    wanted: dict[str, tuple[str, ...]] = {}
    types = {(one.subject, one.subject_type) for one in facts} | {(one.object, one.object_type) for one in facts}
    for fact in facts:
        known = relation_of(fact.property)
        if schema is None or known is None or known.id not in schema.relations:
            continue
        ends = ((fact.subject, fact.subject_type, known.domain), (fact.object, fact.object_type, known.range))
        for end, type_, classes in ends:
            if type_ and not schema.fit(type_, classes):
                return False
            if end == fact.subject and any(
                schema.fit(one, known.without) > 1 for of, one in types if of == end and one
            ):
                return False
            before = wanted.setdefault(end, classes)
            if not any(schema.fit(one, classes) for one in before):
                return False
    return True


def implied_class(property_: str, *, of_subject: bool) -> str:
    """Return the class of an end by the schema, the widest of several, "" if there is none."""
    relation, schema = _known(property_, _OWN.get())
    if relation is None or schema is None:
        return ""
    classes = [name for name in (relation.domain if of_subject else relation.range) if name not in VALUES]
    if set(classes) == {"person", "organization"}:
        return AGENT
    widest = [one for one in classes if all(schema.fit(other, [one]) > 1 for other in classes)]
    return widest[0] if widest else ""


def fits(fact: Fact, type_: str, *, of_subject: bool) -> bool:
    """Return whether a type fits the relation of a fact at this end. Any type fits a relation outside the schema."""
    relation, schema = _known(fact.property, _OWN.get())
    if relation is None or schema is None:
        return True
    return schema.fit(type_, relation.domain if of_subject else relation.range) > 1


def question(fact: Fact, known: str, *, subject: bool, what: str, of: str = "", described: bool = False) -> str:
    """Return the schema's question for an end of a fact, "" if there is none.

    `what` is the end's class noun, if known (else that of its name), `of` that of the fact's subject. A form that calls
    the other end by a noun ("on the label Y") comes last where `known` begins with "the", and first where it does not.
    Where `known` describes the other end, at most two words follow it, not "… the place where Ada died the capital of?"
    The choice among wordings depends on the fact's own text, so it is the same in every corpus.
    """
    relation = relation_of(fact.property)
    if relation is None:
        return ""
    what = what or _named_noun(fact, subject=subject)
    forms = [
        each for each in _ways(relation, of or named_event(fact.subject), subject=subject) if what or "TYPE" not in each
    ]
    forms = _in_own_words(forms, fact, relation, subject=subject)
    if described:
        forms = [each for each in forms if not _AN_END.search(each)]
        moved = [_ENDS_IN_OF.sub(r"Of w\1\2?", each) for each in forms]
        forms = [*filter(_AT_THE_END.search, forms)] or [*filter(_AT_THE_END.search, moved)]
    is_called = known.startswith("the ")
    forms = [each for each in forms if bool(_CALLING.search(each)) != is_called] or forms
    if not forms:
        return ""
    if what and (typed := [each for each in forms if "TYPE" in each]):
        forms = typed
    drawn = int(keys.digest(6, fact.subject, fact.property, fact.object, subject), 32) % len(forms)
    form = asked_then(forms[drawn]) if fact.is_past else forms[drawn]
    form = (_WHO.sub("Who", form) if what == "person" else form).replace("TYPE", called_once(what, form))
    if "DOES Y" in form:
        of_option, named = what.startswith("option of "), "is" if what == "software" else "determines"
        form, known = form.replace("DOES Y", "Y"), does(known, "it" if of_option else "", named).strip()
    before, after = _ENDS.split(at_time(form, fact) if subject else form)
    return said(before.rstrip(), known) + after if before else known + after


def called_once(what: str, words: str) -> str:
    """Return a class noun, its class if words have that noun too: no "Which subsidiary is a subsidiary of Acme?"."""
    schema, twice = schema_in_use(), what and re.search(rf"\b{re.escape(what)}\b", words) is not None
    return (schema.entity_class(what) if schema and twice else None) or what


def _in_own_words(forms: list[str], fact: Fact, relation: Relation, *, subject: bool) -> list[str]:
    """Return the forms that the text's own words fill, those without such a word if there is none.

    A text that says "formed" is asked "When was X formed?", by "When was X DONE?", and not when it was established.
    """
    wanted = {found[0] for each in forms for found in _SAID.finditer(each)}
    nouns = (subject and relation.subject_nouns) or relation.object_nouns
    named = {noun: noun.removesuffix(" by") for noun in nouns}  # "lyrics by" Ada Orr
    told = {word: _nearest(named, fact) for word in wanted & {"NOUN"}}
    if wanted - told.keys():
        done = _nearest(_participles(relation), fact)
        told |= {"DONE": done, "DID": past(done) if done else ""}
    filled = [each for each in forms if (found := _SAID.search(each)) and told[found[0]]]
    return [_SAID.sub(lambda found: told[found[0]], each) for each in filled] or [
        each for each in forms if not _SAID.search(each)
    ]


@lru_cache(maxsize=1024)
def _participles(relation: Relation) -> Mapping[str, str]:
    """Return the participles of a relation's phrases by each form in which a text may have them: "wrote", "written"."""
    found = [said[1] for phrase in relation.phrases if (said := _DONE_IN.fullmatch(phrase)) and is_participle(said[1])]
    return {form: one for one in found for form in (one, past(one))}


def _nearest(words: Mapping[str, str], fact: Fact) -> str:
    """Return what is meant by the one of some words that a sentence has nearest to the name of a fact's object.

    "Prime Minister Bo Lind met Ada Orr, the mayor of Lun": of Ada Orr it is "mayor". "" if there is none.
    """
    if not words:
        return ""
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern, name, found = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])"), fact.object.lower(), list[tuple[int, str]]()
    for text in (" ".join(one.sentence.lower().split()) for one in fact.statements):
        at = text.find(name)
        gaps = (
            (said.start() - at - len(name) if said.start() > at else at - said.end(), said[0])
            for said in pattern.finditer(text)
        )
        found += gaps if at >= 0 else ()
    gap, word = min(found, default=(0, ""))
    return words[word] if word and gap <= _FAR else ""


def _named_noun(fact: Fact, *, subject: bool) -> str:
    """Return the class noun that the name of an end tells: "university" of "University of Iowa", "" if none.

    A body's may be no word for a class: "committee" of "House Budget Committee".
    """
    label, schema = fact.subject if subject else fact.object, schema_in_use()
    if (of := country(label)) and of.how == "name" and fits(fact, "country", of_subject=subject):
        return "country"
    named = schema.named_class(label) if schema else None
    if schema is None or named is None:
        return ""
    noun = label.partition(" of ")[0].split()[-1].lower()
    known = noun in schema.class_of or named == "organization"
    fitting = known and not noun.endswith("s") and fits(fact, named, of_subject=subject)  # "2008 Summer Olympics"
    return noun if fitting else ""


def _ways(relation: Relation, of: str, *, subject: bool) -> tuple[str, ...]:
    """Return how people ask for an end, where the subject is of a class."""
    ways = _of_class(relation, relation.ask_subject_of if subject else relation.ask_object_of, of)
    return ways or (relation.ask_subject if subject else relation.ask_object)


def _of_class(relation: Relation, by_class: Mapping[str, tuple[str, ...]], of: str) -> tuple[str, ...] | None:
    """Return the words for a subject of a class or type, the narrowest that fits, or None if none is for it."""
    schema = _known(relation.id, _OWN.get())[1] if by_class and of else None
    fitting = {schema.fit(of, (name,)): words for name, words in by_class.items()} if schema else {}
    best = max(fitting, default=0)
    return fitting[best] if best > 1 else None


def object_question(property_: str, known: str, of: str) -> str:
    """Return the schema's question for the object of a thing; `of` is its class noun, "" if unknown."""
    relation = relation_of(property_)
    forms = object_questions(property_, known, of or next(iter(relation.usual if relation else ()), ""))
    forms = forms or [f"What is the {relation.label if relation else 'rest'} of {known}?"]
    return forms[int(keys.digest(6, known, property_), 32) % len(forms)]


def object_questions(property_: str, known: str, of: str, *, then: bool = False) -> list[str]:
    """Return each of the schema's questions for the object of a thing that does not say what the object is called.

    `then`: in the past.
    """
    relation = relation_of(property_)
    ways = _ways(relation, of, subject=False) if relation else ()
    forms = [asked_then(each) if then else each for each in ways if not _TO_FILL.search(each)]
    return [_ENDS.sub(lambda _: known, each) for each in forms]


def place_question(told: Fact, asked: Fact, known: str) -> str:
    """Return the question in what the place of `told` lies: "In which country was Ada born?", "" if it is no such.

    `known` is the thing whose place it is.
    """
    one, other = relation_of(told.property), relation_of(asked.property)
    if one is None or other is None or told.period or asked.period:
        return ""
    ways = _ways(one, told.subject_type or named_event(told.subject), subject=False)
    ways = (*_in_own_words([each for each in ways if "DONE" in each], told, one, subject=False), *ways)
    plain = (each for each in ways if each.startswith("Where ") and not _TO_FILL.search(each))
    where = next((each for each in plain if _AT_THE_END.search(each)), "")
    where = asked_then(where) if told.is_past else where
    start = next((found[1] for each in other.ask_object if (found := _IN_WHICH.fullmatch(each))), "")
    return start + _ENDS.sub(lambda _: known, where.removeprefix("Where")) if where and start else ""


def is_literal(fact: Fact) -> bool:
    """Return whether a fact's object is no thing: a number, a date, or what the schema calls a literal, as a text."""
    known = relation_of(fact.property)
    return fact.object_kind != "entity" or (known is not None and {*known.range} <= VALUES | {"literal"})


def is_value(fact: Fact, end: str) -> bool:
    """Return whether an end of a fact is no thing: a literal object, or a subject that the schema calls an amount."""
    known = relation_of(fact.property)
    of_values = known is not None and {*known.domain} <= VALUES | {"literal"}
    return (end == fact.object and is_literal(fact)) or (end == fact.subject and of_values)


def at_time(words: str, fact: Fact) -> str:
    """Return words before a fact's object with the preposition of its date: "on" a day, "in" a year."""
    if fact.object_kind != "date":
        return words
    return _WHEN.sub("on" if _DAY.fullmatch(fact.object) else "in", words)
