"""Words a question from a subgraph without a model: a relation's form decides how it is read out.

A relation is read as a noun ("capital": the capital of X), as "member of" (X is a member of Y), as a participle
("headquartered in": X is headquartered in Y) or as a verb ("supplies": X supplies Y). Bridges are described by the
other fact, never named (RARE, section 3.4; DRAGON, multi-hop).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from kgservice.model import Fact, Subgraph
from kgservice.questions import corpus_wide

Form = Literal["noun", "noun of", "participle", "verb"]

PREPOSITIONS = frozenset(
    """
    about after against as at before between by for from in into near of on over through to under with within
    """.split()
)
AUXILIARIES = frozenset(
    """
    are be been can could did do does had has have is may might shall was were will would
    """.split()
)
BASE_VERBS = frozenset(
    """
    contain include own produce use
    """.split()
)
PAST_VERBS = frozenset(
    """
    became began bought brought built came chose cut drew fell found gave got grew held kept knew led left lent
    lost made met paid put ran rose said saw sent set shot sold spent spoke stood sung taught told took went won
    wore wrote
    """.split()
)
PARTICIPLES = frozenset(
    """
    born bought brought built chosen drawn found given held known made seen sent set shot sold spoken sung taken
    taught told worn written
    """.split()
)
INTRANSITIVE = frozenset(  # the subject's own doing, preposition or not: X died in Y, never X is died in Y
    """
    acted agreed appeared arrived belonged collaborated competed consisted contributed died emerged graduated
    invested joined lasted lived moved occurred originated participated played premiered reigned resulted retired
    returned served specialized studied worked
    """.split()
)
STATES = frozenset(  # participles that still hold: X is located in Y, but X was founded in Y
    """
    administered affiliated associated based bordered called classified composed connected considered found
    governed headquartered known linked listed located made managed named operated owned related situated
    supported surrounded used
    """.split()
)
ADVERBS = re.compile(r"^(also|\w+ly)$")
NOUNS_IN_S = re.compile(r"(ss|us|is|ics|ness|sales|assets|earnings|revenues|employees|exports|imports|costs|reserves)$")


@lru_cache(maxsize=65536)
def form(relation: str) -> Form:
    """Return how a relation is read, from its first and last words; what looks like nothing else is a noun."""
    words = relation.lower().replace("_", " ").split()
    words = [word for word in words if not ADVERBS.match(word)] or words
    first, preposition = words[0], words[-1] in PREPOSITIONS
    if first in AUXILIARIES or first in BASE_VERBS or first in INTRANSITIVE:
        return "verb"
    if first in PREPOSITIONS or re.search(r"[a-z]{2}ing$", first):
        return "participle"
    past = re.search(r"[a-z]{2}ed$", first)
    if preposition and (past or first in PARTICIPLES or words[-1] == "by"):
        return "participle"
    if past or first in PAST_VERBS or (re.search(r"[a-z]{2}s$", first) and not NOUNS_IN_S.search(first)):
        return "verb"
    return "noun" if not preposition else "noun of" if words[-1] in ("of", "for") else "participle"


def worded(subgraph: Subgraph) -> str:
    """Return the question of a subgraph, in the words of its first reading."""
    first = subgraph.readings[0].facts[0]
    if subgraph.asked in ("object", "subject"):
        return _ask(first, asked_subject=subgraph.asked == "subject", other=None)
    if subgraph.asked == "members":
        return _ask_all(first, members_are_subjects=subgraph.pattern == "set_of_subjects")
    facts = subgraph.readings[0].facts
    if subgraph.pattern in ("comparison", "pluri_hop"):
        wide = subgraph.pattern == "pluri_hop"
        return corpus_wide.worded(subgraph) if wide else _compare(*facts, word=subgraph.asked)
    if subgraph.pattern == "chain3":
        return _worded_chain(facts, last=subgraph.asked == "last")
    if len(facts) == 3:
        return _worded_arms(facts, pivot_is_subject=subgraph.pattern == "star3")
    return _worded_pair(subgraph, *facts)


def _worded_chain(facts: tuple[Fact, ...], *, last: bool) -> str:
    """Ask for one end of a chain; each bridge is described by the fact that leads to it from the other end."""
    *told, asked = facts if last else reversed(facts)
    other: str | None = None
    for fact in told:
        other = _described(fact, subject=not last, other=other)
    return _ask(asked, asked_subject=not last, other=other)


def _worded_arms(facts: tuple[Fact, ...], *, pivot_is_subject: bool) -> str:
    kind = next(filter(None, (_type(fact, subject=pivot_is_subject) for fact in facts)), "one")
    described = [_described(fact, subject=pivot_is_subject) for fact in facts]
    return f"Which {kind} is at once {', '.join(described[:-1])} and {described[-1]}?"


def _compare(one: Fact, two: Fact, *, word: str) -> str:
    """Ask which of two subjects has the larger, smaller, earlier or later value: "Who was born later, A or B?"."""
    relation, shape, dates = one.relation.replace("_", " "), form(one.relation), word in ("earlier", "later")
    kind = _type(one, subject=True) if one.subject_type == two.subject_type else None
    start = "Who" if kind == "person" else f"Which {kind}" if kind else "Which"
    pair = f"{one.subject} or {two.subject}"
    if shape == "noun":
        return f"{start} has the {word} {relation}, {pair}?"
    if dates and relation.split()[-1] in ("in", "on", "at"):
        relation = relation.rsplit(maxsplit=1)[0]
    if not dates:
        word = {"larger": "more", "smaller": "less"}[word]
    be = {"participle": f"{_be(relation)} ", "noun of": "is a "}.get(shape, "")
    return f"{start} {be}{relation} {word}, {pair}?"


def _worded_pair(subgraph: Subgraph, one: Fact, two: Fact) -> str:
    shape = subgraph.pattern.removeprefix("conditional_")
    pivot_is_subject = {"chain": (False, True), "star": (True, True), "inverted_star": (False, False)}[shape]
    if subgraph.asked == "pivot":
        kind = _type(one, subject=pivot_is_subject[0]) or _type(two, subject=pivot_is_subject[1])
        described = [_described(fact, subject=end) for fact, end in zip((one, two), pivot_is_subject, strict=True)]
        return f"Which {kind or 'one'} is both {described[0]} and {described[1]}?"
    told, asked = (one, two) if subgraph.asked == "last" else (two, one)
    told_end, asked_end = pivot_is_subject if subgraph.asked == "last" else reversed(pivot_is_subject)
    # where the pivot is the object of the asked fact, its subject is asked for
    return _ask(asked, asked_subject=not asked_end, other=_described(told, subject=told_end))


def _ask(fact: Fact, *, asked_subject: bool, other: str | None) -> str:
    """Ask for one end of a fact; `other` stands for the other end where that may not be named."""
    (shape, relation, be), kind = _read(fact.relation), _type(fact, subject=asked_subject)
    if asked_subject:
        known, start = other or fact.object, f"Which {kind}" if kind else "What"
        start = "Who" if kind == "person" else start
        return {
            "noun": f"{start} has {known} as its {relation}?",
            "noun of": f"{start} {be} a {relation} {known}?",
            "participle": f"{start} {be} {relation} {known}?",
            "verb": f"{start} {relation} {known}?",
        }[shape]
    known = other or fact.subject
    if shape == "noun" or (fact.object_kind == "number" and shape != "participle"):
        return f"{'Who' if kind == 'person' else 'What'} is the {relation} of {known}?"
    start = f"Which {kind}" if kind and kind != "person" else "Who" if kind == "person" else "What"
    if shape == "participle" and fact.object_kind == "date" and relation.split()[-1] in ("in", "on", "at"):
        return f"When {be} {known} {relation.rsplit(maxsplit=1)[0]}?"
    if shape == "participle":
        return f"{start} {be} {known} {relation}?"
    return f"{start} {be} {known} a {relation}?" if shape == "noun of" else f"{start} is it that {known} {relation}?"


def _ask_all(fact: Fact, *, members_are_subjects: bool) -> str:
    (shape, relation, be), kind = _read(fact.relation), _type(fact, subject=members_are_subjects)
    every = f"every {kind} that" if kind else "everything that"
    if members_are_subjects:
        return {
            "noun": f"Name {every} has {fact.object} as its {relation}.",
            "noun of": f"Name {every} {be} a {relation} {fact.object}.",
            "participle": f"Name {every} {be} {relation} {fact.object}.",
            "verb": f"Name {every} {relation} {fact.object}.",
        }[shape]
    return {
        "noun": f"Name every {relation} of {fact.subject}.",
        "noun of": f"Name {every} {fact.subject} {be} a {relation}.",
        "participle": f"Name {every} {fact.subject} {be} {relation}.",
        "verb": f"Name {every} {fact.subject} {relation}.",
    }[shape]


def _described(fact: Fact, *, subject: bool, other: str | None = None) -> str:
    """Describe one end of a fact by the other: "the company that supplies Solvane", "the capital of Estmark".

    `other` stands for the other end where that may not be named.
    """
    (shape, relation, be), the = _read(fact.relation), f"the {_type(fact, subject=subject) or 'one'}"
    known = other or (fact.object if subject else fact.subject)
    if subject:
        return {
            "noun": f"{the} whose {relation} is {known}",
            "noun of": f"{the} that {be} a {relation} {known}",
            "participle": f"{the} {relation} {known}",
            "verb": f"{the} that {relation} {known}",
        }[shape]
    return {
        "noun": f"the {relation} of {known}",
        "noun of": f"{the} that {known} {be} a {relation}",
        "participle": f"{the} that {known} {be} {relation}",
        "verb": f"{the} that {known} {relation}",
    }[shape]


def _read(relation: str) -> tuple[Form, str, str]:
    """How a relation is read, its words, and the form of "be" that goes with them: "was directed by" brings its own."""
    words = relation.replace("_", " ")
    own, _, rest = words.partition(" ")
    if own in ("is", "was", "are", "were") and form(rest or "x") in ("participle", "noun of"):
        return form(rest), rest, own
    shape = form(words)
    return shape, words, "is" if shape == "noun of" else _be(words)


def _be(relation: str) -> str:
    first = relation.lower().split()[0]
    return (
        "is" if first in STATES or first in PREPOSITIONS or not re.search(r"(ed|en)$|^(born|built)$", first) else "was"
    )


def _type(fact: Fact, *, subject: bool) -> str | None:
    kind = fact.subject_type if subject else fact.object_type
    return kind.replace("_", " ") if kind else None
