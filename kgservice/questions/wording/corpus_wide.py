"""Questions about all documents of one type and metadata value (pluri-hop), worded without a model."""

from __future__ import annotations

import re

from kgservice.core.records import Subgraph
from kgservice.questions.wording.entity_classes import asked_by
from kgservice.questions.wording.figure_phrases import Measure, measure
from kgservice.questions.wording.relation_phrases import Noun, phrase


def worded(row: Subgraph) -> str:
    """Return the question: "Which firm has the largest sales, going by all annual reports whose year is 2030?"."""
    doc_type, name, value = (part.replace("_", " ") for part in row.named)
    facts = row.readings[0].facts
    scope = f"published in {value}" if name == "published" else f"whose {name} is {value}"
    rest = f"going by all {_plural(doc_type)} {scope}?"
    if figure := next((of_fact for fact in facts if (of_fact := measure(fact)) is not None), None):
        return f"{_of_figures(row.asked, figure, doc_type)}, {rest}"
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
