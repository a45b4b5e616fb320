"""In which order subgraphs are drawn: by what they say and a seed, the same whatever the corpus is called.

Ids will not do: they begin with keys, and keys are hashes of the corpus's name too.
"""

from __future__ import annotations

from typing import TypeAlias

from kgservice.core import keys
from kgservice.core.records import Subgraph

Place: TypeAlias = tuple[str, str, str]


def place(row: Subgraph, seed: int) -> Place:
    """Return a subgraph's place in a uniform order: a hash of its text; then, for namesakes, of the sentences."""
    facts = [fact for reading in row.readings for fact in reading.facts]
    said = sorted((fact.subject, fact.relation, fact.object, fact.period) for fact in facts)
    stated = sorted((source.sentence, source.cell) for fact in facts for source in fact.statements)
    text = (row.pattern, row.asked, row.relations, sorted(row.named), sorted(row.answers), said)
    return keys.digest(20, seed, *text), keys.digest(10, stated), row.id


def qualified(row: Subgraph) -> tuple[tuple[str, str], ...]:
    """Return a subgraph's relations, each with the period in which its fact holds."""
    return tuple((relation, fact.period) for relation, fact in zip(row.relations, row.readings[0].facts, strict=False))


def turned(row: Subgraph) -> Subgraph:
    """Return the subgraph that asks for the other end of a single one's fact."""
    named, answer = row.entities
    asked = "subject" if row.asked == "object" else "object"
    anchor = answer + keys.relation_code(*qualified(row)[0])
    return row.model_copy(
        update={
            "id": keys.question_key(anchor, row.pattern, asked, qualified(row), [answer], [named]),
            "asked": asked,
            "named": row.answers,
            "answers": row.named,
            "entities": (answer, named),
        }
    )
