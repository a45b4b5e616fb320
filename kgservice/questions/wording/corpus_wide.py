"""Questions about all documents of one type and of one or two properties (pluri-hop), worded without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgservice.core.records import Fact, Subgraph
from kgservice.questions.wording.entity_classes import asked_by
from kgservice.questions.wording.figure_phrases import Measure, measure
from kgservice.questions.wording.relation_phrases import Noun, RelationClause, phrase


def worded(
    row: Subgraph,
    ask: Callable[[Fact], str],
    name_all: Callable[[list[Fact]], str],
    spoken: Callable[[Fact, str], str],
) -> str:
    """Return the question: "Which firm has the largest sales, going by all annual reports whose year is 2030?".

    `ask` asks which subject a fact is of, `name_all` for every subject of facts with one object, and
    `spoken` gives a name as it stands in a sentence.
    """
    doc_type, *properties = row.named
    facts = row.readings[0].facts
    pairs = sorted(zip(properties[::2], properties[1::2], strict=False), key=lambda pair: pair[0] != "published")
    scope = f"going by all {_plural(doc_type.replace('_', ' '))} {_said(pairs)}"
    if row.asked == "most":
        return f"{ask(facts[0])[:-1]} in the most documents, {scope}?"
    if row.asked == "often":
        return f"{name_all([*facts])[:-1]} in three or more documents, {scope}."
    rest = f"{scope}?"
    if row.asked in ("rose", "fell"):
        told = _of_subject(phrase(facts[0]), spoken(facts[0], facts[0].subject))
        return f"in which years {told} {'higher' if row.asked == 'rose' else 'lower'} than in the year before, {rest}"
    if figure := next((of_fact for fact in facts if (of_fact := measure(fact)) is not None), None):
        return f"{_of_figures(row.asked, figure, doc_type.replace('_', ' '))}, {rest}"
    kinds = {fact.subject_type for fact in facts}
    kind = (kinds.pop() if len(kinds) == 1 else None) or "subject"
    relation = phrase(facts[0])
    if isinstance(relation, Noun):
        be = "are" if relation.plural else "is"
        asked = {
            "list": f"what {be} the {relation.noun} of each {kind}",
            "count": f"for how many {_plural(kind)} {be} the {relation.noun} stated",
        }
        extreme = ("has the", relation.noun)
    else:
        start, last = asked_by(relation, facts[0])
        start = start[0].lower() + start[1:]
        asked = {
            "list": f"{start} {relation.asked_of(f'each {kind}', without=last)}",
            "count": f"for how many {_plural(kind)} is it said {start} {relation.told_of('each', without=last)}",
        }
        extreme = (f"{relation.predicate} the", "figure")
    asked |= {end: f"which {kind} {of.join(extreme)}" for end, of in (("min", " smallest "), ("max", " largest "))}
    return f"{asked[row.asked]}, {rest}"


def _of_subject(relation: Noun | RelationClause, subject: str) -> str:
    """Return "was the revenue of Acme", or "was what Acme earned"."""
    if isinstance(relation, Noun):
        return f"{'were' if relation.plural else 'was'} the {relation.noun} of {subject}"
    return f"was what {relation.told_of(subject)}"


def _said(properties: Sequence[tuple[str, str]]) -> str:
    """Return "published from 2030 to 2032 whose country is Velmora"."""
    phrases = [
        f"published {value if value.startswith('from ') else f'in {value}'}" if name == "published"
        else f"whose {name} is {value}".replace("_", " ")
        for name, value in properties
    ]  # fmt: skip
    return f" {'' if properties[0][0] == 'published' else 'and '}".join(phrases)


def _of_figures(asked: str, one: Measure, doc_type: str) -> str:
    """Return the question about figures of one period, each of a company or of a part of one (if companies report)."""
    company = re.search(r"(?i)10-?[kq]|annual report|filing", doc_type) is not None
    owner, owners = ("company or part of one", "companies or parts of one") if company else ("subject", "subjects")
    return {
        "list": f"what {one.be} the {one.said} of each {owner}{one.then}",
        "count": f"for how many {owners} {'are' if one.plural else 'is'} the {one.said}{one.then} reported",
        "min": f"of which {owner} {one.be} the {one.said}{one.then} the smallest",
        "max": f"of which {owner} {one.be} the {one.said}{one.then} the largest",
    }[asked]


def _plural(noun: str) -> str:
    if noun == "person":
        return "people"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun if noun.endswith("s") else f"{noun}s"
