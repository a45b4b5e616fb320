"""The question of a subgraph as a record, and what its words must not give away."""

from __future__ import annotations

import re
from typing import Literal

from kgservice.model import Question, Subgraph


def question_of(
    corpus: str, row: Subgraph, text: str, state: Literal["active", "rejected"], reason: str = ""
) -> Question:
    """Return the question of a subgraph with all its evidence."""
    facts = {fact.key: fact for reading in row.readings for fact in reading.facts}
    sources = [source for fact in facts.values() for source in fact.statements]
    return Question(
        id=row.id,
        corpus=corpus,
        pattern=row.pattern,
        asked=row.asked,
        question=text,
        answers=row.answers,
        facts=tuple(facts.values()),
        chunk_ids=tuple(sorted({source.chunk for source in sources})),
        document_keys=tuple(sorted({source.document for source in sources})),
        metadata={"readings": len(row.readings), "hops": len(row.relations)},
        state=state,
        reason=reason,
        entities=row.entities,
    )


def leak(row: Subgraph, text: str) -> str:
    """Say what a question gives away: an answer (a comparison names both) or a bridge that it may only describe."""
    if row.pattern != "comparison" and any(_contains(text, answer) for answer in row.answers):
        return "answer in the question"
    pivots = {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)
    return "bridge named in the question" if any(_contains(text, pivot) for pivot in pivots) else ""


def _contains(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
