"""The steps of a question: the group of which each of its facts must be the only member."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from kgservice.questions.wording.templates import SHAPES

Side = Literal["sr", "ro"]


class Step(NamedTuple):
    """A fact of a question and the group in which it must be alone: that of its known end."""

    fact: str
    side: Side


def steps(pattern: str, asked: str, facts: Iterable[str]) -> list[Step]:
    """Return the facts of a question in order, each with the side whose other members are rivals."""
    fact_keys = list(facts)
    if asked == "nothing":  # its group has no fact
        return []
    if asked in ("object", "subject"):
        return [Step(fact, "sr" if asked == "object" else "ro") for fact in fact_keys]
    if pattern == "chain3":
        return [Step(fact, "sr" if asked == "last" else "ro") for fact in fact_keys]
    shape = SHAPES.get(pattern.removeprefix("conditional_"))
    if shape is None:  # sets, comparisons, pluri-hop, conflicts and false premises
        return [Step(fact, "ro" if pattern == "set_of_subjects" else "sr") for fact in fact_keys]
    asked_at = {"first": 0, "last": len(shape) - 1}.get(asked)
    return [
        Step(fact, "sr" if is_subject == (at == asked_at) else "ro")
        for at, (fact, is_subject) in enumerate(zip(fact_keys, shape, strict=False))
    ]
