"""The class noun of a fact's end: its type if known, else the class that the relation implies ("" for none).

"Solaris was directed by X" makes X a person, "Acme is headquartered in X" a place, "X is a town in Y" a town.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgservice.core.records import Fact
from kgservice.questions.wording.figure_phrases import measure
from kgservice.questions.wording.relation_phrases import Noun, RelationClause, phrase
from kgservice.questions.wording.relation_questions import (
    AGENT,
    called,
    fits,
    implied_class,
    relation_of,
    schema_in_use,
)
from kgservice.text import english, inflection
from kgservice.text.values import MONTHS, read_value

PART_OF, HAS_PART = "P361", "P527"
PERSONAL = frozenset(
    "coach compose direct elect illustrate marry paint photograph portray sing star bury crown raise educate".split()
)
LIVES = frozenset(
    "bear die marry graduate study educate emigrate live retire reside crown coronate bury raise act coach wed".split()
)
_DONE_TO = frozenset("bear bury coronate crown educate raise".split())
MAKING = frozenset(
    """
    acquire assassinate build commission compose construct create defeat design employ develop discover distribute found
    initiate introduce invent launch lead manage manufacture operate organise organize own paint perform
    produce publish record release run sponsor start supply write
    """.split()
)
WORKS = frozenset("direct compose write star illustrate".split())
LOCATIVE = frozenset(
    """
    arrest base bear build bury construct detain die educate establish exhibit film found headquarter house
    imprison install jail kill lie live locate originate perform premiere raise reside settle situate station
    train work
    """.split()
)
_PLACE_NOUNS = frozenset("population mayor capital governor elevation climate residents inhabitants".split())
_TIME = re.compile(
    r"(?i).*\b(?:century|centuries|decade|era|season|\d+0s)|(?:early |late |mid-?)?(?:spring|summer|autumn|winter|"
    rf"renaissance|{MONTHS.replace(' ', '|')})"
)
_PLACES = frozenset("capital birthplace city country county headquarters hometown location province state town".split())
_COMPANY = re.compile(r",? (?:Inc|Corp|Corporation|Incorporated|Ltd|LLC|LLP|PLC|plc|GmbH)\.?$|^The \w+ Company$")
_NOBODY = frozenset(
    "album book city country film football hit magazine novel place series song stage state television".split()
)
_INITIALS = re.compile(r"[A-Z]{2}")
_YEAR, _DAY = re.compile(r"\d{4}"), re.compile(r".*\b\d{1,2}\b.*\d{4}|\d{4}-\d{2}-\d{2}|\d{1,2} \w+ .*")


def kind(ends: Iterable[tuple[Fact, bool]]) -> str:
    """Return the class noun of an entity from the facts at whose ends it is (subject or not), types first."""
    each = tuple(ends)
    nouns = [noun for fact, end in each if (noun := typed(fact, end))]
    if not nouns and (noun := _shared(each)):
        return noun
    nouns += [noun for fact, end in each if (noun := _implied(fact, end))]
    return next((noun for noun in nouns if noun != AGENT), AGENT if nouns else "")  # a country may act too


def _shared(ends: tuple[tuple[Fact, bool], ...]) -> str:
    """Return what alone may be at all ends where not all may be a person: who recorded and is based is a "band"."""
    known = [(relation_of(fact.property), subject) for fact, subject in ends]
    classes = [one.domain if subject else one.range for one, subject in known if one is not None]
    schema = schema_in_use()
    if schema is None or len(classes) < max(2, len(ends)) or not any("person" in one for one in classes):
        return ""
    found = {one for each in classes for one in each if all(schema.fit(one, other) > 1 for other in classes)}
    widest = [one for one in found if all(schema.fit(other, (one,)) > 1 for other in found)]  # of companies and bodies
    return widest[0] if widest and "person" not in found else ""


def implied(fact: Fact, subject: bool) -> str:
    """Return the class that the relation alone implies for an end, or ""."""
    return _implied(fact, subject)


def is_person(what: str) -> bool:
    """Return whether a class noun is one of people: "person", "director"."""
    return what in ("person", AGENT) or english.is_agent(what)


def class_of_both(one: Fact, two: Fact) -> str:
    """Return what the subjects of two facts are both called, "person" of people, "" if that differs or is unknown."""
    nouns = {"person" if is_person(noun) else noun for noun in (kind(((fact, True),)) for fact in (one, two))}
    return nouns.pop() if len(nouns) == 1 else ""


def clash(fact: Fact) -> bool:
    """Return whether an end's type contradicts the class that the relation implies.

    A person where the relation needs a place is a clash, and the reverse.
    """
    if isinstance(phrase(fact), Noun):  # an auditor may be a company
        return False
    ends = ((typed(fact, subject), _implied(fact, subject)) for subject in (True, False))
    return any(
        (given_type == "place" and is_person(what)) or (given_type == "person" and what in _NOBODY)
        for what, given_type in ends
    )


def typed(fact: Fact, subject: bool) -> str:
    """Return the type of an end as a noun, "" if unknown. Names show companies and whose option one is."""
    given_type, name = (fact.subject_type, fact.subject) if subject else (fact.object_type, fact.object)
    if given_type and not subject and given_type == implied_class(fact.property, of_subject=False):
        given_type = _object_called(fact) or given_type
    if given_type and fits(fact, given_type, of_subject=subject):
        of, dash, _ = name.rpartition(" -")
        return f"option of {of}" if dash and given_type == "option" else _noun_of(given_type)
    if _COMPANY.search(name):
        return "company"
    return "person" if _is_part_of_band(fact, subject) else ""


def _is_part_of_band(fact: Fact, subject: bool) -> bool:
    """Return whether an end is said to be a part of a band: that is one of its members."""
    schema, whole = schema_in_use(), fact.object_type if subject else fact.subject_type
    part = fact.property == (PART_OF if subject else HAS_PART)
    return part and schema is not None and bool(whole) and schema.fit(whole, ("band",)) > 1


def _noun_of(type_: str) -> str:
    """Return a type as a noun: "tv_series" gives "tv series", "EP" stays."""
    return type_ if _INITIALS.fullmatch(type_) else in_short(type_.replace("_", " ").lower())


def in_short(noun: str) -> str:
    """Return the initials of a class noun if its class has them as a word, else the noun: "EP" of "extended play"."""
    schema, initials = schema_in_use(), "".join(word[0] for word in noun.split()).upper()
    own = schema.class_of.get(noun) if schema and len(initials) > 1 else None
    return initials if schema and own and initials in schema.classes[own].words else noun


def _implied(fact: Fact, subject: bool) -> str:
    if measure(fact) is not None:
        return implied_class(fact.property, of_subject=True) if subject else ""
    if not subject and fact.object_kind == "date":
        return "year" if _YEAR.fullmatch(fact.object) else "day" if _DAY.fullmatch(fact.object) else "month"
    if not subject and (fact.object_kind == "number" or _TIME.fullmatch(fact.object)):
        return "" if fact.object_kind == "number" else "time"
    if by_schema := implied_class(fact.property, of_subject=subject):
        return by_schema if subject else _object_called(fact) or by_schema
    told = phrase(fact)
    return _of_noun(told, subject) if isinstance(told, Noun) else _of_clause(told, subject)


def _object_called(fact: Fact) -> str:
    """Return what the schema calls the object of a fact that is no person ("company" of a film), "" if nothing."""
    return "" if implied_class(fact.property, of_subject=False) in ("", "person", AGENT) else called(fact.property)


def _of_noun(told: Noun, subject: bool) -> str:
    head = next(reversed(told.noun.lower().split()), "")
    if subject:
        return "place" if head in _PLACE_NOUNS else "person" if head in english.KIN or head == "age" else ""
    if head in english.PARTIES:
        return AGENT
    return "person" if english.is_agent(told.noun) else "place" if head in _PLACES else ""


def _of_clause(told: RelationClause, subject: bool) -> str:
    verb = verb_of(told)
    if told.role:
        return _of_role(told.role) if subject else "person" if english.is_kin(told.role) else ""
    if verb == "border":
        return "place"
    return _of_doer(told, verb) if subject else _of_object(told, verb)


def _of_doer(told: RelationClause, verb: str) -> str:
    by = told.passive and told.preposition == "by"
    if (by and verb in WORKS) or (verb in ("star", "feature") and not told.passive and not told.rest):
        return "work"
    lives = verb in LIVES and not by and (told.passive or verb not in _DONE_TO)  # "raised a dividend" implies a company
    person = lives or (verb in PERSONAL - _DONE_TO and not told.passive)
    if person or (verb == "serve" and told.rest == "as"):
        return "person"
    acts = verb in MAKING or told.verb == "joined"  # rivers join too
    return AGENT if acts and not told.auxiliary and not told.rest else ""


def _of_object(told: RelationClause, verb: str) -> str:
    if told.passive and told.preposition == "by":
        return "person" if verb in PERSONAL or verb == "write" else AGENT if verb in MAKING else ""
    if (verb == "star" and not told.passive and not told.rest) or (verb == "marry" and told.rest in ("", "to")):
        return "person"
    at = told.preposition in ("in", "at", "near") and told.rest == told.preposition
    return "place" if at and verb in LOCATIVE else ""


def _of_role(role: str) -> str:
    if role in english.PARTIES:
        return AGENT
    return (
        "person"
        if english.is_agent(role)
        else ""
        if role in ("part", "type", "one", "kind", "form", "member")
        else role
    )


def asked_by(clause: RelationClause, fact: Fact) -> tuple[str, str]:
    """Return the question words for an object ("where", "in which city") and the preposition that they replace."""
    what, own_type, last = kind(((fact, False),)), typed(fact, False), clause.preposition
    if fact.object_kind == "date" or (what == "time" and last in ("in", "on", "at")):
        return "when", last if last in ("in", "on", "at") else ""
    if own_type and last and not is_person(own_type):
        return f"{last} which {own_type}", last
    if what == "place" and is_where(clause):
        return "where", last
    return _how_many(clause, fact) or which(what, of=clause), ""


def _how_many(told: RelationClause, fact: Fact) -> str:
    unit = read_value(fact.object)[2] if fact.object_kind == "number" and not told.preposition else None
    return f"how many {unit}" if unit and re.fullmatch(r"[a-z ]{3,}", unit) else ""


def is_where(told: RelationClause) -> bool:
    """Return whether a clause tells where its subject is or was made."""
    return told.preposition in ("in", "at") and told.rest == told.preposition and verb_of(told) in LOCATIVE


def which(what: str, *, of: RelationClause | Noun | None = None, called: str = "What") -> str:
    """Return the question words for a class: "Who", "Which city". `called` "which": of two."""
    if what in ("person", AGENT):
        return "Who" if called == "What" else "who"
    own = isinstance(of, RelationClause) and what and of.role == what  # never "Which town is a town in ...?"
    return f"Which {what}" if what and not own else called


def verb_of(told: RelationClause) -> str:
    """Return the infinitive of a clause's verb, "" for none."""
    return inflection.base(told.verb.lower().split()[-1]) if told.verb else ""
