"""Which questions to show first: of every pattern in turn, those of several facts first, no two about the same fact."""

from __future__ import annotations

from collections.abc import Iterable

from kgservice.core import keys
from kgservice.core.records import Question
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.selection import ORDER

LOOKED = 300  # questions of a pattern


def showcase(graph: Graph, corpus: str, number: int) -> list[Question]:
    """Return at most so many active questions, the same ones for the same graph."""
    by_pattern = [
        shuffled(question_store.questions(graph, corpus, pattern=name, state="active", limit=LOOKED)) for name in ORDER
    ]
    shown: list[Question] = []
    told: set[str] = set()
    while by_pattern and len(shown) < number:
        questions = by_pattern.pop(0)
        fresh = next((item for item in questions if told.isdisjoint(fact.key for fact in item.facts)), None)
        if fresh is not None:
            shown.append(fresh)
            told.update(fact.key for fact in fresh.facts)
            by_pattern.append(questions)
    return shown


def shuffled(questions: Iterable[Question]) -> list[Question]:
    """Return questions by a hash of their ids, so that neighbours are not about the same entity."""
    return sorted(questions, key=lambda item: keys.digest(20, item.id))
