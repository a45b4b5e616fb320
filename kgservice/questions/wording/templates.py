"""Questions of subgraphs, worded without a model.

Bridges are described by the other facts, never named (RARE, section 3.4; DRAGON, multi-hop): "the city in which Acme is
headquartered", "the person who directed Solaris". relation_phrases.py words relations, entity_classes.py gives class
nouns.
"""

from __future__ import annotations

import re

from kgservice.core.records import Fact, Reading, Subgraph
from kgservice.core.schema import load_schema
from kgservice.extraction.tables.lists import listed_row
from kgservice.names.countries import country
from kgservice.questions.wording import corpus_wide, figure_phrases, russian
from kgservice.questions.wording.entity_classes import (
    asked_by,
    class_of_both,
    implied,
    is_person,
    is_where,
    kind,
    typed,
    verb_of,
    which,
)
from kgservice.questions.wording.figure_phrases import Measure, measure
from kgservice.questions.wording.relation_phrases import HAVE, Noun, RelationClause, back, phrase
from kgservice.questions.wording.relation_questions import (
    AGENT,
    called,
    called_once,
    fits,
    has_one_object,
    is_symmetric,
    lacks_its_word,
    noun,
    object_question,
    object_questions,
    place_question,
    question,
    relation_of,
    said,
)
from kgservice.questions.wording.spoken_names import classed, dated_name, is_a, spoken_name
from kgservice.questions.wording.tense import told_in_time
from kgservice.text import english, inflection
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS, is_agent
from kgservice.text.periods import when
from kgservice.text.values import read_value

UNKNOWN = "thing"
MANY = frozenset(
    "citizen example form kind member one part participant signatory type".split()
)  # "the member of" something is one of many
SHAPES = {  # whether the bridge is the subject of the first fact, and of the second
    "chain": (False, True), "star": (True, True), "inverted_star": (False, False),
    "star3": (True, True, True), "inverted_star3": (False, False, False),
}  # fmt: skip
THINGS = frozenset(  # verbs of things: never "Who or what borders"
    """
    air apply border comprise consist contain cost cover derive encompass feature flow form have include involve
    lie mean occur premiere refer star take
    """.split()
)

_COMPARED = {"earlier": "first", "later": "later", "larger": "more", "smaller": "less"}
_OF_SEVERAL = {"does": "do", "is": "are", "was": "were", "has": "have"}
_IS_A = re.compile(r"(?:is|was|has been) (?=(?:an?|the) (?!one\b))")
_DONE = re.compile(r"((?:is|was) \w+) (by|in|at|on|for) (.+)")
_ONE_OF = re.compile(r"(?:is|was) an? (\w+) of (.+)")
_HELPING = "|".join(sorted(AUXILIARIES | BE | {"has", "have", "had"}))
_START = re.compile(rf"(where|(?:in|on|at|for|to|of) which [a-z ]+?) ((?:{_HELPING}) .+)")
_JOINS = PREPOSITIONS | {"and", "or"}


def worded(subgraph: Subgraph) -> str:
    """Return the question of a subgraph, in the words of its first reading; in Russian if its relations are."""
    if text := russian.worded(subgraph):
        return text
    subgraph = _classed(subgraph)
    wide = subgraph.pattern == "pluri_hop"
    subgraph = subgraph if wide else told_in_time(subgraph)
    figures = tuple(measure(_with_article(fact)) for fact in subgraph.readings[0].facts)
    text = (
        corpus_wide.worded(subgraph, _ask_one, _ask_subjects, spoken_name) if wide else _of_figures(subgraph, figures)
    )
    text = text or _diagnostic(subgraph) or _worded(subgraph, subgraph.readings[0])
    return text[0].upper() + re.sub(r"([?.])\1$", r"\1", text[1:])  # "What's New?" ends its question, "Inc." its line


def _classed(row: Subgraph) -> Subgraph:
    """Return a row whose facts have the classes of works that their sentences and titles tell."""
    readings = tuple(
        one.model_copy(update={"facts": tuple(classed(fact) for fact in one.facts)}) for one in row.readings
    )
    return row.model_copy(update={"readings": readings})


def _with_article(fact: Fact) -> Fact:
    """Return a fact with the article of its subject as it stands within a sentence."""
    if (row := listed_row(fact.subject)) and row.is_part:
        return fact.model_copy(update={"subject": row._replace(place=spoken_name(fact, row.place)).label})
    if not fact.subject.startswith("The "):
        return fact
    return fact.model_copy(update={"subject": spoken_name(fact, fact.subject)})


def _diagnostic(row: Subgraph) -> str:
    """Return the question that tests a system, "" for other patterns."""
    fact, *others = row.readings[0].facts
    if row.asked == "nothing":
        thing = row.named[0]
        return object_question(row.relations[0], spoken_name(fact, thing), typed(fact, fact.subject == thing))
    if row.asked == "values":
        return f"{_ask(fact, False, None)} The documents disagree: give both answers."
    return _ask_with_premise(fact, *others, premise=row.named[1]) if row.asked == "premise" else ""


def _worded(row: Subgraph, reading: Reading) -> str:
    facts, pattern = reading.facts, row.pattern
    if row.asked in ("object", "subject"):
        return _ask(facts[0], row.asked == "subject", None)
    if row.asked == "members":
        return _ask_all([fact for one in row.readings for fact in one.facts], subjects=pattern == "set_of_subjects")
    if pattern == "comparison":
        then = _then(facts[0]).strip()
        return f"{then}, {_compare(*facts, word=row.asked)}" if then else _compare(*facts, word=row.asked)
    if pattern in ("chain", "chain3"):
        return _ask_end(facts, last=row.asked == "last")
    if row.asked == "pivot":
        return _ask_pivot(facts, SHAPES[pattern.removeprefix("conditional_")])
    told_end, asked_end = SHAPES[pattern] if row.asked == "last" else reversed(SHAPES[pattern])
    told, asked = facts if row.asked == "last" else reversed(facts)
    other = described(told, told_end, kind(((told, told_end), (asked, asked_end))))
    return _ask(asked, not asked_end, other)


def _ask_one(fact: Fact) -> str:
    return _ask(fact, True, None)


def _ask_subjects(facts: list[Fact]) -> str:
    return _ask_all(facts, subjects=True)


def _of_figures(row: Subgraph, figures: tuple[Measure | None, ...]) -> str:
    """Return the question about a report's figures.

    "" if there are other facts or the pattern has no wording for figures.
    """
    fact, one, two = row.readings[0].facts[0], figures[0], figures[-1]
    if one is None or two is None:
        return ""
    if row.asked == "object":
        return figure_phrases.object_asked(one, fact.object)
    if row.asked == "subject":
        return figure_phrases.subject_asked(one, fact.object, typed(fact, True))
    return figure_phrases.compared(one, two, row.asked) if row.pattern == "comparison" else ""


def _ask_end(facts: tuple[Fact, ...], *, last: bool) -> str:
    """Return the question for one end of a chain. Each bridge is described by the fact from the other end to it."""
    *told, asked = facts if last else reversed(facts)
    other: str | None = None
    for fact, following in zip(told, [*told[1:], asked], strict=True):
        known = other or spoken_name(fact, fact.subject)
        if last and following is asked and (text := place_question(fact, asked, known)):
            return text if other else _of_several(text, fact, known)
        what = kind(((fact, not last), (following, last)))
        other = described(fact, not last, what, other)
        if last and following is asked and not typed(asked, True) and what not in ("", AGENT):
            asked = asked.model_copy(update={"subject_type": what})
    return _ask(asked, not last, other)


def _ask_pivot(facts: tuple[Fact, ...], ends: tuple[bool, ...]) -> str:
    """Return the question for a pivot: "Which company is located in Lun and supplies steel?"."""
    at = tuple(zip(facts, ends, strict=True))
    what = kind(at)
    if not any(ends) and (text := _ask_together(facts, what)):
        return text
    one = "is the one "  # last, and once: "is the one where A is located and in which B was made"
    told = [_said_of_pivot(fact, end, what) + _then(fact) for fact, end in sorted(at, key=lambda known: not known[1])]
    told.sort(key=lambda said: said.startswith(one))
    told = [said.removeprefix(one) if at and told[at - 1].startswith(one) else said for at, said in enumerate(told)]
    if len(told) == 2 and (text := _ask_of_kin(*told) or _ask_of_kin(*reversed(told))):
        return text
    if len(told) == 2 and (text := _said_once(*told)):
        return f"{which(what)} {text}?"
    told = [said if at == 0 else _without_verb(said, told[0]) for at, said in enumerate(told)]
    what = called_once(what, " ".join(said for said in told if said.startswith(("is a", "was a"))))
    if len(told) == 2:
        return f"{which(what)} {told[0]} and {_without_be(told[1], told[0])}?"
    return f"{which(what)} {told[0]}, {told[1]} and {told[2]}?"


def _ask_of_kin(said: str, other: str) -> str:
    """Return the question for one of somebody's relatives, "Which child of Ada played for Lun?", "" if none is said."""
    found = _ONE_OF.fullmatch(said)
    return f"Which {found[1]} of {found[2]} {other}?" if found and english.is_kin(found[1]) else ""


def _said_once(first: str, second: str) -> str:
    """Return two conditions of one participle as one, "was released by Acme in 2031", "" if there are two."""
    one, two = _DONE.fullmatch(first), _DONE.fullmatch(second)
    if one is None or two is None or one[1] != two[1] or one[2] == two[2]:
        return ""
    by, other = sorted((one, two), key=lambda found: found[2] != "by")
    return f"{by[0]} {other[2]} {other[3]}"


def _without_be(said: str, first: str) -> str:
    """Return a condition without the "is" or "was" that the first one has too: "is on a label and known for"."""
    be, _, rest = said.partition(" ")
    shared = be in ("is", "was") and first.startswith(f"{be} ") and inflection.is_past(rest.partition(" ")[0])
    return rest if shared else said


def _without_verb(said: str, first: str) -> str:
    """Return a condition without the verb that the first one has too: "is a member of Acme and the founder of Bolt".

    So of others: "features Ada Orr and the voice of Bo Lind".
    """
    alike = _IS_A.match(said), _IS_A.match(first)
    if alike[0] and alike[1] and alike[0][0] == alike[1][0]:
        return said[alike[0].end() :]
    verb, _, rest = said.partition(" ")
    shared = first.startswith(f"{verb} ") and verb not in BE | AUXILIARIES | set(HAVE)
    return rest if shared else said


def _ask_together(facts: tuple[Fact, ...], what: str) -> str:
    """Return one question of the questions for the object of each fact, "" if they do not begin alike.

    "In which city is Acme located and was Ada born?"
    """
    told = [_asked_at_the_start(fact) for fact in facts]
    start = next((one for one in told[0] if all(one in other for other in told)), "")
    words = " and ".join(one.get(start, "") for one in told)
    return f"{start.replace('where', f'in which {what}')} {words}?" if start and what else ""


def _asked_at_the_start(fact: Fact) -> dict[str, str]:
    """Return the questions for a fact's object by the words that they begin with: "where", "in which city"."""
    known = spoken_name(fact, fact.subject)
    asked = [_asked(fact, False, None), *object_questions(fact.property, known, typed(fact, True), then=fact.is_past)]
    found = [_START.fullmatch(f"{each[0].lower()}{each[1:-1]}") for each in asked]
    return {one[1]: one[2] for one in reversed(found) if one}


def _said_of_pivot(fact: Fact, subject: bool, what: str) -> str:
    if subject and not typed(fact, True) and what != AGENT and fits(fact, what, of_subject=True):
        fact = fact.model_copy(update={"subject_type": what or None})  # the other facts say what it is
    told = phrase(fact)
    if subject or (isinstance(told, RelationClause) and is_symmetric(fact)):
        known, person = dated_name(fact, fact.object if subject else fact.subject), is_person(what)
        return (
            f"is the one {_whose(told, known, fact)}" if isinstance(told, Noun) and person else _said(told, known, fact)
        )
    if own := back(fact):
        return said(own.predicate, dated_name(fact, fact.subject))
    if isinstance(told, RelationClause) and (text := _undergone(told, dated_name(fact, fact.subject), fact)):
        return text
    told_of, one = described(fact, False, what), f"the {what or UNKNOWN}"
    role = told.noun if isinstance(told, Noun) else noun(fact.property, typed(fact, True))
    if isinstance(told, Noun) or (role and told_of.startswith(f"the {role} of ")):
        article = "the" if has_one_object(fact) else inflection.indefinite(role)  # one of several
        return f"{_be(fact)} {article} {role} of {dated_name(fact, fact.subject)}"
    is_noun = told_of.startswith(f"{one} of ") and not told_of.startswith(f"{one} of which")
    return f"{_be(fact) if is_noun else 'is'} {told_of if is_noun else told_of.replace(one, 'the one', 1)}"


def _undergone(told: RelationClause, known: str, fact: Fact) -> str:
    """Return a clause of its object: "was given by Ada Orr", "has Ada Orr as a member", "" if none is known."""
    if told.active:
        return f"{told.active} {known}"
    if told.undergone:
        return f"{'was' if inflection.is_past(told.verb) else 'is'} {told.undergone} {known}"
    if told.rest.startswith(f"a {told.role} of") and not english.is_kin(told.role):
        has = "had" if fact.is_past else "has had" if told.auxiliary == "has" else "has"
        return f"{has} {known} as a {told.role}"
    return ""


def _whose(told: Noun, known: str, fact: Fact) -> str:
    """Return the noun phrase of a person: "whose spouse is Ada", as a person is no "it"."""
    return f"whose {told.noun} {_be(fact, several=told.plural)} {known}"


def _be(fact: Fact, *, several: bool = False) -> str:
    """Return "is" or "are", of the past "was" or "were"."""
    be = "are" if several else "is"
    return english.THEN[be] if fact.is_past else be


def _said(told: RelationClause | Noun, known: str, fact: Fact) -> str:
    """Return the predicate of a subject. A number is no part of it: "has 1,200 employees", "has a height of 80 m"."""
    if isinstance(told, RelationClause):
        return said(told.predicate, known)
    if fact.object_kind != "number":
        return f"{'had' if fact.is_past else 'has'} {known} as its {told.noun}"
    if told.plural and known.endswith(f" {told.noun}"):
        return f"has {known}"
    label = Measure("", "", told.noun)
    if told.plural and not label.of_money and read_value(known)[2] is None and known.replace(",", "").isdigit():
        return f"has {known} {told.noun}"
    several = told.plural or label.plural  # "earnings per share", "shares outstanding"
    one = "" if several else f"{inflection.indefinite(told.noun)} "
    return f"has {one}{told.noun} of {known}"


def _ask(fact: Fact, asked_subject: bool, other: str | None) -> str:
    """Return the question for one end of a fact. `other` describes the other end if it must not be named."""
    known = other or spoken_name(fact, fact.object if asked_subject else fact.subject)
    asked = question(
        fact,
        known,
        subject=asked_subject,
        what=typed(fact, asked_subject),
        of=typed(fact, True),
        described=other is not None,
    )
    then = f" {when(fact.period)}" if asked and fact.period else _then(fact)
    asked = asked or _asked(fact, asked_subject, other)
    if not (asked_subject or other):
        asked = _of_several(asked, fact, known)
    if then and other:  # behind a description it would date that one: "the company that bought Acme in fiscal 2031"
        return f"{then.strip()}, {asked[0].lower()}{asked[1:]}"
    return f"{asked[:-1]}{then}?"


def _of_several(text: str, fact: Fact, known: str) -> str:
    """Return a question with the verb of a name that is said of several: "Where were The Red Kites formed?"."""
    if not _are_several(fact, known):
        return text
    return re.sub(rf"\b(does|is|was|has)(?= {re.escape(known)}\b)", lambda found: _OF_SEVERAL[found[0]], text)


def _are_several(fact: Fact, known: str) -> bool:
    """Return whether a subject's name is said of several: "the Lions play", "the Great Lakes are", not "the Thames"."""
    last, schema = known.rpartition(" ")[2].lower(), load_schema()
    if known[:4].lower() != "the " or not last or not inflection.is_plural(last) or last.endswith(("ss", "us")):
        return False
    if not fact.subject.lower().endswith(known[4:].lower()):  # "the film The Great Lakes" is one
        return False
    named = schema.entity_class(inflection.base(last)) if schema else None
    waters = inflection.may_be_noun(last) and is_a(fact, fact.subject, ("body of water",))
    several = re.compile(rf"(?:\b(\w+) )?\b[Tt]he {re.escape(known[4:])} (?:are|were|have)\b")
    found = [one for said in fact.statements for one in several.finditer(" ".join(said.sentence.split()))]
    stated = any((one[1] or "").lower() not in _JOINS for one in found)  # not "boats on the Thames were"
    relation = None if typed(fact, True) or country(fact.subject) else relation_of(fact.property)
    plays = relation is not None and "team" in relation.domain
    return (
        stated
        or waters
        or plays
        or named in ("body of water", "landform")
        or is_a(fact, fact.subject, ("team", "band", "landform"))
    )


def _ask_with_premise(told: Fact, asked: Fact, *, premise: str) -> str:
    """Return a question about a thing of which something false is said by the way: "Who founded Acme, which …?"."""
    false, what = told.model_copy(update={"object": premise}), kind(((told, True), (asked, True)))
    words, name = phrase(false), spoken_name(false, premise)
    who = "who" if is_person(what) else "which"
    noun_of = isinstance(words, Noun) and false.object_kind != "number"
    aside = _whose(words, name, false) if isinstance(words, Noun) and noun_of else f"{who} {_said(words, name, false)}"
    text = _ask(asked, False, f"{spoken_name(told, told.subject)}, {aside}{_then(false)},")
    return re.sub(r",(?=\W*$)|,(?=,)", "", text)


def _then(fact: Fact) -> str:
    """Return the period of a clause after a space. A noun has its period beside it."""
    return f" {when(fact.period)}" if fact.period and isinstance(phrase(fact), RelationClause) else ""


def _asked(fact: Fact, asked_subject: bool, other: str | None) -> str:
    told = phrase(fact)
    if asked_subject:
        known, start = other or spoken_name(fact, fact.object), which(kind(((fact, True),)), of=told)
        if isinstance(told, Noun):
            return _ask_whose(told, known, start, fact, long=other is not None)
        return f"{start if start != 'What' or not _acts(told) else 'Who or what'} {said(told.predicate, known)}?"
    known = other or spoken_name(fact, fact.subject)
    if isinstance(told, Noun):
        return _ask_noun(told, fact, known)
    return _ask_object(told.of_one() if other or typed(fact, True) == "company" else told, fact, known)


def _ask_whose(told: Noun, known: str, start: str, fact: Fact, *, long: bool) -> str:
    be, has = _be(fact, several=told.plural), "had" if fact.is_past else "has"
    if start == "What" and long:
        return f"what {has} as its {told.noun} {known}?"
    if start == "Who":
        return f"whose {told.noun} {be} {known}?"
    return f"{start} {has} {known} as its {told.noun}?" if start == "What" else f"{start}'s {told.noun} {be} {known}?"


def _acts(told: RelationClause) -> bool:
    """Return whether a person may be meant as well as a thing."""
    return not told.auxiliary and verb_of(told) not in THINGS


def _ask_noun(told: Noun, fact: Fact, known: str) -> str:
    if fact.object_kind == "number" and told.plural and read_value(fact.object)[2] is None:
        return f"how many {told.noun} does {known} have?"
    start = "Who" if kind(((fact, False),)) in ("person", AGENT) else "What"
    return f"{start} {_be(fact, several=told.plural)} the {told.noun} of {known}?"


def _ask_object(told: RelationClause, fact: Fact, known: str) -> str:
    if told.active and fact.object_kind != "date" and kind(((fact, False),)) != "time":
        return f"{which(kind(((fact, False),)), of=told)} {told.active} {known}?"
    if english.is_kin(told.role) and told.preposition == "of":
        return f"whose {_kin(told)} {told.auxiliary} {known}?"
    start, last = asked_by(told, fact)
    return f"{start} {told.asked_of(known, without=last)}?"


def _kin(told: RelationClause) -> str:
    """Return the kinship noun: "elder brother" of "is the elder brother of"."""
    return told.predicate.split(maxsplit=2)[2].removesuffix(" of")


def _ask_all(facts: list[Fact], *, subjects: bool) -> str:
    return f"{_all_asked(facts, subjects=subjects)[:-1]}{_then(facts[0])}."


def _all_asked(facts: list[Fact], *, subjects: bool) -> str:
    fact, types = facts[0], {typed(one, subjects) for one in facts}
    asked_by_who = re.match("(?!who or)who ", _ask(fact, subjects, None), re.IGNORECASE) is not None
    agents = implied(fact, subjects) == AGENT or asked_by_who  # "everyone who founded", whatever each is
    people = implied(fact, subjects) == "person"
    told, what = phrase(fact), "person" if people else AGENT if agents else ""
    what = (kind(((fact, subjects),)) if len(types) == 1 else "") or what
    every = _every(what, "who" if subjects else "whom", subjects and not isinstance(told, Noun) and _acts(told))
    if subjects:
        known, person = spoken_name(fact, fact.object), isinstance(told, Noun) and is_person(what)
        words = _whose(told, known, fact) if isinstance(told, Noun) and person else _said(told, known, fact)
        return f"name {every.removesuffix(' who') if person else every} {words}."
    return _ask_objects(told, fact, what, every)


def _ask_objects(told: RelationClause | Noun, fact: Fact, what: str, every: str) -> str:
    known = spoken_name(fact, fact.subject)
    if own := back(fact):
        role = " ".join(own.predicate.split()[2:]) if own.role else ""  # "child of"
        return f"name every {role} {known}." if role else f"name {_every(what, 'who', True)} {own.predicate} {known}."
    if isinstance(told, Noun):
        return f"name {'all' if told.plural else 'every'} {told.noun} of {known}."
    if told.active:
        return f"name {_every(what, 'who', True)} {told.active} {known}."
    if told.calls_its_object and (named := noun(fact.property)):  # no "every title that Ada bore the title"
        return f"name every {named} of {known}."
    told = told.of_several() if _are_several(fact, known) else told
    at_places = is_where(told) if what == "place" else not what and told.preposition == "at" == told.rest
    where = "place where" if at_places and not typed(fact, False) else _role(told)
    if not where and told.preposition and what and not is_person(what):
        where = f"{what} {told.preposition} which"
    if where:
        return f"name every {where} {told.told_of(known, without=told.preposition or told.rest)}."
    return f"name {every} {told.told_of(known)}."


def _role(told: RelationClause) -> str:
    return "role in which" if told.rest in ("as", "as a") and verb_of(told) in ("serve", "work", "act") else ""


def _every(what: str, who: str, acts: bool) -> str:
    if is_person(what):
        return f"everyone {who}" if what in ("person", AGENT) else f"every {what} {who}"
    return f"every {what} that" if what else "everyone or everything that" if acts else "everything that"


def _compare(one: Fact, two: Fact, *, word: str) -> str:
    """Return the question which of two subjects has the larger, smaller, earlier or later value.

    "Who was born first, A or B?"
    """
    told, dates, what = phrase(one), word in ("earlier", "later"), class_of_both(one, two)
    names = [spoken_name(each, each.subject, bare=bool(what)) for each in (one, two)]
    pair = " or ".join(name.removeprefix(f"the {what} ") if what else name for name in names)
    start = which(what, called="which")
    if (known := relation_of(one.property)) and known.compared and not dates:
        return f"{start} {_be(one)} {known.compared[word == 'smaller']}, {pair}?"
    if isinstance(told, Noun):
        counted = told.plural and read_value(one.object)[2] is None
        than = {"larger": "more", "smaller": "fewer"}.get(word, f"the {word}") if counted else f"the {word}"
        return f"{start} has {than} {told.noun}, {pair}?"
    words = told.predicate
    if dates and told.preposition in ("in", "on", "at"):
        words = words.rsplit(maxsplit=1)[0]
    return f"{start} {words} {_COMPARED[word]}, {pair}?"


def described(fact: Fact, subject: bool, what: str, other: str | None = None) -> str:
    """Return the description of one end of a fact by the other: "the company that supplies Solvane".

    `what` is its class noun, "" if unknown. `other` describes the other end if it must not be named.
    """
    role = _role_of_object(fact) if not subject and is_person(what) else ""
    known = other or dated_name(fact, fact.subject)
    return (f"the {role} of {known}" if role else _described(fact, subject, what, other)) + _then(fact)


def _described(fact: Fact, subject: bool, what: str, other: str | None) -> str:
    told, the = phrase(fact), f"the {what or UNKNOWN}"
    known, who = (
        other or (dated_name(fact, fact.object) if subject else dated_name(fact, fact.subject)),
        "who" if is_person(what) else "that",
    )
    if not subject and what in ("person", AGENT, implied(fact, False)) and called(fact.property):
        the = f"the {called(fact.property)}"
    told = (
        told.of_one() if isinstance(told, RelationClause) and typed(fact, True) == "company" else told
    )  # "we were founded"
    own = told if subject else back(fact)
    if isinstance(own, RelationClause):
        known_by_role = subject and own.role and own.role not in MANY
        holds = not subject and own.predicate in ("includes", "included")  # "the album with the song Blue Tide"
        whole = f"{the} with" if holds else f"{the} {own.reduced or f'{who} {own.predicate}'}"
        return f"the {' '.join(own.predicate.split()[2:])} {known}" if known_by_role else said(whole, known)
    if isinstance(told, Noun):
        if subject and fact.object_kind == "number":
            return f"{the} {who} {_said(told, known, fact)}"
        return f"{the} {_whose(told, known, fact)}" if subject else f"the {told.noun} of {known}"
    relation, named = relation_of(fact.property), noun(fact.property, typed(fact, True))
    called_so = what == "place" and relation is not None and bool(relation.noun)  # "birthplace"
    said_where = is_where(told) and bool(what) and not (other or called_so)
    if not said_where and named:  # no "the headquarters location of"
        return f"the {named} of {known}"
    if by := f"{who} {told.active}" if told.active else told.undergone if other else "":
        return f"{the} {by} {known}"
    told = told.of_several() if not other and _are_several(fact, known) else told
    return f"{the} {_relative(told, what, known, nested=other is not None)}"


def _role_of_object(fact: Fact) -> str:
    """Return what a person is to the fact's subject, as the schema's label says ("director"), "" if it says no such."""
    relation, role = relation_of(fact.property), noun(fact.property, typed(fact, True))
    if relation is None or relation.called or " or " in role or lacks_its_word(fact):
        return ""
    return role if relation.range == ("person",) or is_agent(role) else ""


def _relative(told: RelationClause, what: str, known: str, *, nested: bool) -> str:
    """Return the relative clause of an object: "in which Acme is headquartered", "whom Ada married"."""
    last, person = told.preposition, is_person(what)
    if english.is_kin(told.role) and last == "of":
        return f"whose {_kin(told)} {told.auxiliary} {known}"
    if what in ("year", "month", "day", "time"):
        words = told.told_of(known, without=last if last in ("in", "on", "at") else "")
        return f"{'on' if what == 'day' else 'in'} which {words}"
    if not (last and what):
        return f"{'whom' if person else 'that'} {told.told_of(known)}"
    if nested and not person and told.reduced == f"{told.verb} {last}":  # "in which is located the city in which ..."
        return f"{last} which {told.auxiliary} {told.verb} {known}"
    if what == "place" and is_where(told):
        return f"where {told.told_of(known, without=last)}"
    return f"{last} {'whom' if person else 'which'} {told.told_of(known, without=last)}"
