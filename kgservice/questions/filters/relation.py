"""Relations that cannot be asked about: too vague, too long, or a clause of their own (RARE, appendix A.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kgservice.core.records import Fact, Source, Subgraph
from kgservice.questions.wording.entity_classes import clash
from kgservice.questions.wording.figure_phrases import label_problem as unsaid
from kgservice.questions.wording.figure_phrases import measure, sign_problem, unsized
from kgservice.questions.wording.relation_phrases import RelationClause, phrase
from kgservice.questions.wording.relation_questions import ends_fit, is_symmetric, noun, relation_of, schema_in_use
from kgservice.questions.wording.spoken_names import classed, is_a
from kgservice.text import english, inflection
from kgservice.text.english import ARTICLES, AUXILIARIES, BE, DETERMINERS, PREPOSITIONS
from kgservice.text.left_posts import tells_of_leaving
from kgservice.text.values import read_value

PLACED = "is in"
_THEN = re.compile(r"\b(?:was|were|did|had)\b")
_FORMER = re.compile(r"(?i)\b(?:former|formerly|previously|future|eventual|then|original|acting|interim)\b|\bex-")
_CLOSED = re.compile(  # "from November 2002 to March 2022"
    r"(?i)\b(?:from|between)\b[^.;]{0,30}?\b\d{4}\b[^.;]{0,9}?(?:\b(?:to|until|till|and)\b|[–-])[^.;]{0,20}?\b\d{4}\b"
)
_FOR_A_TIME = re.compile(
    r"\bfor (?:a|some) (?:\w+ )?(?:period of )?time\b|\bno longer\b|\bha(?:s|ve) (?:now|since) been\b"
)
FOUNDED_BY = "P112"
MAY_END = ("P127", "P451", "P1037", "P98")  # owners, partners, directors, editors: each of several may be so no more
MAX_WORDS = 5  # RARE prefers two to four, not counting "is"
_VAGUE = frozenset(
    """
    also be became become been being do does experienced experiences had has have include included includes including
    involve involved involves mean means not or prior referred refers related saw sees such then to
    """.split()
)
_EMPTY = _VAGUE | BE | PREPOSITIONS | ARTICLES | AUXILIARIES
_DANGLING = frozenset(
    "and because but if include included includes including not or than that when where which while who".split()
)
_PARTICLES = frozenset(
    "ahead apart aside away back down first forward home last off out over second together up".split()
)
_UNIT = re.compile(r"(?i)\W*(?:dollars |amounts )?in (?:thousands|millions|billions)\W*")  # a header of no column
_PRONOUNS = frozenset("he her him his i it its me my our she their them they this those us we you your".split())


def rejection_reason(row: Subgraph, _: str) -> str:
    """Say why one of the relations cannot be asked about, "" if all can."""
    facts = row.readings[0].facts
    own = [fact for fact in facts if relation_of(fact.property) is None]  # the schema words its relations itself
    said = tuple(dict.fromkeys(fact.relation for fact in own))
    figures = {fact.relation: figure for fact in own if (figure := measure(fact)) is not None}
    reasons = (
        reason
        for relation in said
        if not (relation == PLACED and _known(row))
        and (reason := unsaid(figures[relation].label) if relation in figures else _fault(relation))
    )
    if len(said) > 1 and any(relation.lower().endswith(" as") for relation in said):
        return "a role is no bridge"  # "directed as", "known as": what follows is no thing of its own
    if row.pattern != "pluri_hop" and any(figure.joined for figure in figures.values()):
        return "several headings in one"  # "net sales, Asia, increase/(decrease)": nobody calls a figure so
    if _walks_back(row, {fact.key for fact in facts if is_symmetric(fact)}):
        return "asked the other way round"  # a symmetric fact is there both ways
    if any(map(_may_be_over, facts)) or (row.asked == "members" and _come_after_each_other(row)):
        return "may be over"  # "Ada Orr was mayor of Lun" does not say who "is the mayor"
    if not ends_fit([classed(fact) for reading in row.readings for fact in reading.facts]):
        return "an end of two classes"
    return (
        _uncalled(row)
        or next(reasons, "")
        or unsized(row)
        or sign_problem(row)
        or next((reason for fact in own if (reason := _unfit(fact))), "")
    )


def _come_after_each_other(row: Subgraph) -> bool:
    """Whether the members of a set hold one after another what they are said to hold: "everyone who chairs Acme"."""
    relation, of_objects = relation_of(row.readings[0].facts[0].property), row.pattern == "set_of_objects"
    if relation is None:
        return False
    asked = relation.ask_object if of_objects else relation.ask_subject
    one_at_a_time = (relation.objects if of_objects else relation.subjects) == "one at a time"
    return one_at_a_time and not any(map(_THEN.search, asked))


def _may_be_over(fact: Fact) -> bool:
    """Whether a fact is told of the past alone, and another may have come in its place since."""
    relation = relation_of(fact.property)
    if relation is None:
        return False
    edits_once = "book" in relation.domain and is_a(fact, fact.subject, ("book",))
    ends = fact.property in MAY_END and fact.statements and not edits_once
    if ends and all(_tells_of_past(one, fact) or _FOR_A_TIME.search(one.sentence) for one in fact.statements):
        return True
    if "one at a time" not in (relation.objects, relation.subjects):
        return False
    asked_of_now = not any(map(_THEN.search, (*relation.ask_object, *relation.ask_subject)))  # "Whom did X marry?"
    told = fact.is_past or (fact.statements and all(_tells_of_past(one, fact) for one in fact.statements))
    return asked_of_now and bool(told)


def _tells_of_past(one: Source, fact: Fact) -> bool:
    """Whether a text's sentence calls an end of a fact a former or future one, or says until when it was so."""
    if not one.cell and any(tells_of_leaving(one.sentence, holder) for holder in _holders(fact)):
        return True
    places = sorted(at for end in (fact.subject, fact.object) if (at := one.sentence.find(end)) >= 0)
    if one.cell or len(places) < 2:
        return not one.cell and bool(_CLOSED.search(one.sentence))
    before = re.split(r"[,;:]", one.sentence[: places[0]])[-1]
    told = before + one.sentence[places[0] : places[1]]  # "former mayor of Lun Ada Orr"
    return bool(_FORMER.search(told) or _CLOSED.search(one.sentence))


def _holders(fact: Fact) -> Iterator[str]:
    """Yield the ends of a fact that the schema takes for persons."""
    if relation := relation_of(fact.property):
        ends = (fact.subject, relation.domain), (fact.object, relation.range)
        yield from (end for end, classes in ends if "person" in classes)


def _uncalled(row: Subgraph) -> str:
    """Say what of a question has no class, "" if all has one that it needs."""
    fact = row.readings[0].facts[0]
    if row.pattern == "single" and _is_part_of_something(classed(fact)):
        return "classes of a part and its whole not known"
    of_founder = row.asked == "subject" or row.pattern == "set_of_subjects"
    if of_founder and any(_is_founded_thing(classed(one)) for reading in row.readings for one in reading.facts):
        return "class of what was founded not known"
    return "no noun for the answers" if row.pattern == "set_of_objects" and _is_uncalled(fact) else ""


def _is_part_of_something(fact: Fact) -> bool:
    """Whether a fact says that one thing is part of another, and nothing tells what either is: "Ada" of "The Orrs"."""
    schema = schema_in_use()
    told = fact.subject_type or fact.object_type
    named = schema is not None and any(map(schema.named_class, (fact.subject, fact.object)))
    return fact.property in ("P361", "P527") and not (told or named)


def _is_founded_thing(fact: Fact) -> bool:
    """Whether somebody founded a thing of no known class: "What did Ada Orr found?" has many answers."""
    schema = schema_in_use()
    return fact.property == FOUNDED_BY and not (fact.subject_type or (schema and schema.named_class(fact.subject)))


def _is_uncalled(fact: Fact) -> bool:
    """Whether a clause, "is a", ends with what its object is, and no noun is there for a question for all of them."""
    told = phrase(fact)
    return isinstance(told, RelationClause) and told.calls_its_object and not (told.preposition or noun(fact.property))


def _walks_back(row: Subgraph, symmetric: set[str]) -> bool:
    """Whether the way from the named ends to the answer goes back by one of these facts, from its object."""
    left, seen = list(row.readings[0].facts), {*row.named}
    while symmetric and (step := next((fact for fact in left if {fact.subject, fact.object} & seen), None)):
        if step.key in symmetric and step.subject not in seen:
            return True
        left.remove(step)
        seen |= {step.subject, step.object} if row.asked != "pivot" else set()
    return False


def _known(row: Subgraph) -> bool:
    """ "San Jose is in California" says where, if what is so placed is known to be a city, and a state where."""
    placed = [fact for reading in row.readings for fact in reading.facts if fact.relation == PLACED]
    return all(fact.subject_type and fact.object_type for fact in placed)


def _unfit(fact: Fact) -> str:
    """A relation that does not go with its ends."""
    if measure(fact) is not None:
        return ""
    told = phrase(fact)
    hangs = isinstance(told, RelationClause) and told.rest and not told.preposition
    if hangs and fact.object_kind == "number" and read_value(fact.object)[2] is None:  # "scored fewest goals" 2
        return "number that counts nothing"
    if (
        hangs
        and isinstance(told, RelationClause)
        and not told.auxiliary
        and told.rest.split()[-1].lower() not in _PARTICLES
    ):
        return "relation has an object of its own"  # "achieved territorial status": what is said of the other end?
    return "types that do not go with the relation" if clash(fact) else ""


@lru_cache(maxsize=65536)
def _fault(relation: str) -> str:
    lower = relation.replace("_", " ").lower().split()
    if english.is_wordless(relation):
        return "relation without a word"
    content = english.content(lower)
    checks = (
        (len(lower) - (lower[0] in BE) > MAX_WORDS, "relation too long"),
        (bool({"not", "never", "no", "nor"}.intersection(lower)), "relation negated"),
        ("including" in lower[:-1] or _UNIT.fullmatch(relation) is not None, "relation too vague"),
        (all(word in _EMPTY or word not in content for word in lower), "relation too vague"),
        (not _PRONOUNS.isdisjoint(lower), "pronoun in the relation"),
        (any(sign.isdigit() for sign in relation), "number in the relation"),
        (lower[-1] in _DANGLING or lower[-1] in DETERMINERS or _ends_open(lower), "relation needs an object"),
        (lower[0] in ("be", "been", "being", "to", "such"), "relation without a finite verb"),
        (_is_clause(content), "relation with a subject of its own"),
    )
    return next((reason for wrong, reason in checks if wrong), "")


def _ends_open(lower: list[str]) -> bool:
    """ "began to", "scheduled to", "such as": what follows is no name; "moved to" goes somewhere."""
    last = " ".join(lower[-2:])
    return last.endswith("such as") or (lower[-1] == "to" and len(lower) > 1 and lower[-2] in _WANTS)


_WANTS = frozenset(
    """
    able agreed aimed allowed asked attempted began begins continued decided expected forced helped helps intended
    likely meant planned refused required scheduled seeks started tends tried used wanted wants wishes
    """.split()
)


_NO_ACTS = frozenset("based born cut given hit led limited related set united".split())


def _is_clause(content: list[str]) -> bool:
    """ "father worked as", "members include", "hotels located near": a noun that does something itself."""
    if len(content) < 2 or content[0] in BE | AUXILIARIES or content[0] in ("has", "have", "had"):
        return False
    starts = (
        inflection.is_past(content[0]) or english.is_finite(content[0], alone=False) or content[0] in english.BASE_VERBS
    )
    later = content[1:-1] if content[-1] in BE else content[1:]  # "current editor is"
    if starts and inflection.is_past(content[0]):
        return any(word in BE | AUXILIARIES for word in later)
    if any(word in BE | AUXILIARIES or word in ("has", "have", "had", "include", "includes") for word in later):
        return True
    return any(_acts(word) for word in later) and not (starts and re.search(r"ed$", content[1]) is None)


def _acts(word: str) -> bool:
    lives = word.endswith("s") and english.is_intransitive(word)
    return lives or (inflection.is_past(word) and word not in _NO_ACTS)
