"""A question has to be about something with a name (DRAGON, section 4.3: no sample without named entities)."""

from __future__ import annotations

from kgservice.core.records import Fact, Subgraph
from kgservice.questions.wording.entity_classes import kind
from kgservice.questions.wording.relation_questions import is_literal, relation_of
from kgservice.text.english import is_made


def rejection_reason(row: Subgraph, text: str) -> str:
    """Say what is missing in question and answer, "" if nothing is."""
    facts = [fact for reading in row.readings for fact in reading.facts]
    values = {fact.object for fact in facts if is_literal(fact)}
    typed = {fact.subject for fact in facts if fact.subject_type} | {fact.object for fact in facts if fact.object_type}
    if row.pattern == "pluri_hop":  # its scope has words, and its answers are made of names
        return "" if any(_is_name(fact.subject) for fact in facts) else "no name in question and answer"
    told = [fact.object for fact in facts if fact.object in row.named and _is_told(fact)]
    named = [name for name in row.named if name not in values]
    both = [*named, *told, *(name for name in row.answers if name not in values)]
    if not any(_is_name(name) or name in typed for name in both):
        return "no name in question and answer"
    if row.asked == "members" and not named:
        return "asked by a value alone"
    if named and not any(_is_name(name) or name in typed for name in named):
        return "no name in the question"
    by_words = bool(told) and len(told) == len(row.named)  # "What is described as a record of a choice?"
    if named or row.pattern == "comparison" or by_words:
        return ""
    several = any(_many(fact) for fact in facts if fact.object in row.named)  # "Who was born in 1899?"
    asked = kind((fact, fact.subject in row.answers) for fact in facts if {fact.subject, fact.object} & {*row.answers})
    return "" if asked and not several else "asked by a value alone"


def _many(fact: Fact) -> bool:
    """Whether the schema says that many things have the same object by this relation."""
    known = relation_of(fact.property)
    return known is not None and known.subjects in ("many", "several")


def _is_told(fact: Fact) -> bool:
    """Whether words, no number and no date, tell a thing from all others, as the schema says."""
    known = relation_of(fact.property)
    return known is not None and known.subjects == "one" and fact.object_kind == "entity"


def _is_name(name: str) -> bool:
    """True for what is written with a capital or as no word is ("max_size", not "20th")."""
    return any(sign.isupper() for sign in name) or any(is_made(word) for word in name.split() if not word[0].isdigit())
